"""Records as `watch` samples: a second before each pass that is due, and half a
second after it. What pods use changes whenever it does, now and then in
between. From 1.37 on an edit of the HPA queues a pass at once, beside the one
that is due: it is sampled as it is edited, and half a second later.
`played.py DIR` writes DIR/NAME.jsonl.gz."""
import gzip, json, os, random, sys
from fw import CPU, EXT, FW, noise, square
from world import DEF_UP, SEC, iso

PARTS = ('serverVersion', 'controller', 'horizontalPodAutoscaler', 'scale', 'pods', 'metrics', 'target', 'replicaSets', 'events', 'controllerLease')


def steps(low, high, seed):
    """Another load every 20 to 90 s, at no chosen moment."""
    r = random.Random(seed); ends = []; at = 0
    while at < 4000: at += r.uniform(20, 90); ends.append((at, r.uniform(low, high)))
    return lambda s: next(load for end, load in ends if s < end)


def rules(window, up=0, pods=None):
    down = {'stabilizationWindowSeconds': window}
    if pods: down['policies'] = [{'type': 'Pods', 'value': pods, 'periodSeconds': 45}]
    return {'scaleDown': down, 'scaleUp': {'stabilizationWindowSeconds': up}}


def edit(**fields):
    """Other fields of the spec; as it was sampled before, the old one stays."""
    def apply(w):
        w.spec = {**w.spec, **fields}; w.gen += 1
        w.mn, w.mx = w.spec['minReplicas'], w.spec['maxReplicas']
    return apply


def behavior(window, policy=1, period=30):
    """What the API server makes of a scaleDown window and a Pods policy."""
    return {'scaleDown': {'stabilizationWindowSeconds': window, 'selectPolicy': 'Max', 'policies': [{'type': 'Pods', 'value': policy, 'periodSeconds': period}]},
            'scaleUp': {'stabilizationWindowSeconds': 0, 'selectPolicy': 'Max', 'policies': DEF_UP}}


# Bounds, targets, windows and policies.
EDITS = [
    edit(maxReplicas=6), edit(maxReplicas=20), edit(minReplicas=9), edit(minReplicas=2), edit(metrics=CPU(30)), edit(metrics=CPU(60)),
    edit(behavior=behavior(0, 9)), edit(minReplicas=12), edit(minReplicas=2), edit(behavior=behavior(40, 2)), edit(maxReplicas=4), edit(maxReplicas=15),
    edit(metrics=CPU(40)), edit(behavior=behavior(0, 20)), edit(metrics=CPU(80)), edit(minReplicas=5, maxReplicas=5), edit(minReplicas=2, maxReplicas=20),
    edit(behavior=behavior(70, 3)), edit(metrics=CPU(50)), edit(maxReplicas=3), edit(maxReplicas=9), edit(minReplicas=8), edit(minReplicas=1, metrics=CPU(70)),
    edit(behavior=behavior(20, 4)), edit(maxReplicas=20), edit(metrics=CPU(25)), edit(metrics=CPU(60)), edit(maxReplicas=7), edit(minReplicas=7), edit(minReplicas=2, maxReplicas=20),
]

WORLDS = {
    'noise': dict(metrics=CPU(), behavior=rules(70), load=noise(2000, .3, 7)),
    'square': dict(metrics=CPU(), behavior=rules(100, pods=2), load=square(600, 3100, 217)),
    'steps': dict(metrics=CPU(), behavior=rules(50, up=20), load=steps(500, 4000, 3)),
    'no-window': dict(metrics=CPU(50), behavior=rules(0), load=steps(800, 2500, 5)),
    'queue': dict(metrics=EXT(10), behavior=rules(80), ext=lambda s, size: steps(20, 150, 9)(s)),
    'flag': dict(metrics=CPU(), behavior=None, load=steps(700, 3300, 11), down=200),
    'edited': dict(metrics=CPU(), behavior=rules(40), load=steps(900, 2600, 13), version='v1.37.0'),
}


def sample(w):
    s = w.snapshot()
    if w.minor >= 37:
        hpa = s['horizontalPodAutoscaler']; hpa['metadata']['generation'] = w.gen; hpa['status'] = {**hpa['status'], 'observedGeneration': w.observed}
    line = {'t': iso(w.now, True)[:23].rstrip('Z') + 'Z'}
    line.update({k: s[k] for k in PARTS if k in s})
    return line


def record(world, edits=()):
    w = FW(1, ready=5, minutes=45, **world)
    w.observed = w.gen
    lines = [{'kind': 'Record', 'apiVersion': 'hpa-explain/v1', 'namespace': 'shop', 'horizontalPodAutoscaler': 'web', 'recordedAt': iso(w.start), 'toolVersion': '0.1.0'}]
    last = {}
    def note():
        line = sample(w); whole = dict(line)
        if last: line = {k: v for k, v in line.items() if k == 't' or last.get(k) != v}
        else: line['full'] = True
        last.update(whole); lines.append(line)
    def do_pass():
        w.do_pass()
        if w.observed != w.gen: w.observed = w.gen; w.written = w.now
    passes = 0
    while w.next < w.start + w.minutes * 60 * SEC:
        due = w.next; passes += 1
        # Every fifth period, early or late in it.
        if passes % 5 == 0 and passes // 5 <= len(edits):
            number = passes // 5; at = due - (13, 10, 6, 3)[number % 4] * SEC
            w.advance(at); edits[number - 1](w); w.edited = w.now; note()
            w.advance(at + SEC // 50); do_pass(); w.next = due
            w.advance(at + SEC // 2); note()
        if due - SEC > w.now: w.advance(due - SEC)
        note()
        w.advance(due); do_pass()
        w.advance(due + SEC // 2); note()
    return lines


if __name__ == '__main__':
    for name, world in WORLDS.items():
        text = '\n'.join(json.dumps(line, separators=(',', ':')) for line in record(world, EDITS if name == 'edited' else ())) + '\n'
        with open(os.path.join(sys.argv[1], name + '.jsonl.gz'), 'wb') as out: out.write(gzip.compress(text.encode(), 9, mtime=0))
