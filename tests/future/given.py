"""Adds variants of a given snapshot whose memory is known, each with the passes that follow.

    given.py GIVEN.jsonl >> cases.jsonl

GIVEN.jsonl holds the snapshots that were found to be answered wrongly, each with what is true of it (`next`, `step`,
`rests`, `decides`: sizes), and is copied to the output as it is; the variants are of `next-size-known-memory`."""
import copy, json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, '..', 'reference'), os.environ.get('REFERENCE', here)]
import hpa
from hpa import SEC, ts
from world import iso


def play(s, now):
    s, h, path = copy.deepcopy(s), s['history'], []
    recs = [[e['replicas'], ts(e['timestamp'])] for e in h['recommendations']]
    up, down = ([[e['replicaChange'], ts(e['timestamp']), False] for e in h[k]] for k in ('scaleUpEvents', 'scaleDownEvents'))
    for _ in range(80):
        s['capturedAt'] = iso(now, True)
        p = hpa.Pass(s)
        p.recs, p.up, p.down = recs, up, down
        to = p.run()['desiredReplicas']
        recs, up, down = p.recs, p.up, p.down
        scale = s['scale']['response']
        path.append([iso(now, True), scale['spec']['replicas'], to])
        scale['spec']['replicas'] = scale['status']['replicas'] = to
        s['pods'] = (s['pods'] * (to + 1))[:to]
        now += 15 * SEC + 30 * 10**6
    return path


def older(s): s['history']['recommendations'][1]['replicas'], s['history']['recommendations'][2]['replicas'] = 9, 8
def earlier(s): s['capturedAt'] = iso(ts(s['capturedAt']) - 10 * SEC, True)
def short_period(s, policies=(('Pods', 3, 15),)):
    s['horizontalPodAutoscaler']['spec']['behavior'] = {
        'scaleUp': {'stabilizationWindowSeconds': 0, 'selectPolicy': 'Max', 'policies': [{'type': 'Pods', 'value': 4, 'periodSeconds': 15}]},
        'scaleDown': {'stabilizationWindowSeconds': 60, 'selectPolicy': 'Max',
                      'policies': [{'type': kind, 'value': value, 'periodSeconds': period} for kind, value, period in policies]}}
    s['history']['scaleDownEvents'] = [{'replicaChange': 1, 'timestamp': iso(last, True)}]
def percent_period(s): short_period(s, [('Percent', 30, 15)])
def two_periods(s): short_period(s, [('Pods', 4, 15), ('Pods', 4, 60)])


given = [json.loads(line) for line in open(sys.argv[1])]
known = next(case['snapshot'] for case in given if case['name'] == 'next-size-known-memory')
last = max(ts(e['timestamp']) for e in known['history']['recommendations'])
for name, what, edit in (
        ('next-size-known-memory', 'the size of the step at one instant', lambda s: None),
        ('known-older', 'recommendations of 9 and 8 leave one after the other', older),
        ('known-earlier', 'seen ten seconds earlier', earlier),
        ('known-short-period', 'a period of 15s that is over by the next pass', short_period),
        ('known-percent-period', 'a percentage of a period that is over by the next pass', percent_period),
        ('known-two-periods', 'of two periods one is over by the next pass', two_periods)):
    s = copy.deepcopy(known)
    edit(s)
    print(json.dumps({'name': name, 'what': what, 'snapshot': s, 'path': play(s, last + 15 * SEC + 30 * 10**6)}, sort_keys=True))
for case in given:
    if case['name'] != 'next-size-known-memory':
        print(json.dumps(case, sort_keys=True))
