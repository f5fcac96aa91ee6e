"""Records as `watch` samples: a second before each pass that is due, and half a
second after it. What pods use changes whenever it does, now and then in
between. From 1.37 on an edit of the HPA queues a pass at once, beside the one
that is due: it is sampled as it is edited, and half a second later.
The records `any-*` are edited at any moment, often right before or after the
pass that is due, and not always sampled in time. `played.py DIR` writes
DIR/NAME.jsonl.gz."""
import copy, gzip, json, os, random, sys
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


def header(w):
    return [{'kind': 'Record', 'apiVersion': 'hpa-explain/v1', 'namespace': 'shop', 'horizontalPodAutoscaler': 'web', 'recordedAt': iso(w.start), 'toolVersion': '0.1.0'}]


def noting(w, lines):
    """Samples into the lines: of each only what is new."""
    last = {}
    def note():
        line = sample(w); whole = dict(line)
        if last: line = {k: v for k, v in line.items() if k == 't' or last.get(k) != v}
        else: line['full'] = True
        last.update(whole); lines.append(line)
    return note


def do_pass(w):
    w.do_pass()
    if w.observed != w.gen: w.observed = w.gen; w.written = w.now


def record(world, edits=()):
    w = FW(1, ready=5, minutes=45, **world)
    w.observed = w.gen
    lines = header(w); note = noting(w, lines)
    passes = 0
    while w.next < w.start + w.minutes * 60 * SEC:
        due = w.next; passes += 1
        # Every fifth period, early or late in it.
        if passes % 5 == 0 and passes // 5 <= len(edits):
            number = passes // 5; at = due - (13, 10, 6, 3)[number % 4] * SEC
            w.advance(at); edits[number - 1](w); w.edited = w.now; note()
            w.advance(at + SEC // 50); do_pass(w); w.next = due
            w.advance(at + SEC // 2); note()
        if due - SEC > w.now: w.advance(due - SEC)
        note()
        w.advance(due); do_pass(w)
        w.advance(due + SEC // 2); note()
    return lines


def write(name, lines):
    text = '\n'.join(json.dumps(line, separators=(',', ':')) for line in lines) + '\n'
    with open(os.path.join(sys.argv[1], name + '.jsonl.gz'), 'wb') as out: out.write(gzip.compress(text.encode(), 9, mtime=0))


def any_edit(r):
    rule = behavior(r.choice([0, 15, 20, 30, 40, 60, 70, 120]), r.randint(1, 9), r.choice([15, 30, 45, 60]))
    return r.choice([edit(maxReplicas=r.choice([3, 6, 9, 15, 20])), edit(minReplicas=r.choice([1, 2, 3])), edit(metrics=CPU(r.choice([25, 30, 40, 50, 60, 80]))),
                     edit(behavior=rule), edit(behavior=rule), edit(minReplicas=2, maxReplicas=20)])


def edited_at_any_moment(seed):
    r = random.Random(seed)
    load = r.choice([steps(900, 2600, seed), noise(2000, .4, seed), steps(1500, 1900, seed)])
    w = FW(seed, ready=5, minutes=30, metrics=CPU(r.choice([40, 50, 60])), behavior=rules(r.choice([0, 20, 40, 70, 120])), load=load, version=r.choice(['v1.37.0', 'v1.38.0']))
    w.observed = w.gen; missing = r.choice([0, .1, .3]); after = r.choice([.2, .5, 1.5])
    lines = header(w); note = noting(w, lines); note()
    def now_and_then(chance):
        if r.random() < chance: note()
    while w.next < w.start + w.minutes * 60 * SEC:
        due = w.next
        moments = [due - int(r.choice([r.uniform(.3, 14.5), r.uniform(.3, 3), r.uniform(12, 14.7)]) * SEC) for _ in range(r.choice([0, 0, 0, 0, 1, 1, 2]))]
        for at in sorted(moments):
            if at <= w.now: continue
            w.advance(at); old = copy.deepcopy(w.spec); generation = w.gen
            while w.spec == old: any_edit(r)(w)
            w.gen = generation + 1; w.edited = w.now; note()
            w.advance(at + SEC // 50); do_pass(w); w.next = due
            if at + SEC // 2 < due: w.advance(at + SEC // 2); now_and_then(.8)
        if due - SEC > w.now: w.advance(due - SEC); now_and_then(1 - missing)
        w.advance(due); do_pass(w)
        w.advance(due + int(after * SEC)); now_and_then(1 - missing)
    return lines


if __name__ == '__main__':
    for seed in range(1, 9):
        write('any-%d' % seed, edited_at_any_moment(seed))
    for name, world in WORLDS.items():
        write(name, record(world, EDITS if name == 'edited' else ()))
