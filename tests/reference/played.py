"""Records as `watch` samples: a second before each pass that is due, and half a
second after it. What pods use changes whenever it does, now and then in
between. `played.py DIR` writes DIR/NAME.jsonl.gz."""
import gzip, json, os, random, sys
from fw import CPU, EXT, FW, noise, square
from world import SEC, iso

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


WORLDS = {
    'noise': dict(metrics=CPU(), behavior=rules(70), load=noise(2000, .3, 7)),
    'square': dict(metrics=CPU(), behavior=rules(100, pods=2), load=square(600, 3100, 217)),
    'steps': dict(metrics=CPU(), behavior=rules(50, up=20), load=steps(500, 4000, 3)),
    'no-window': dict(metrics=CPU(50), behavior=rules(0), load=steps(800, 2500, 5)),
    'queue': dict(metrics=EXT(10), behavior=rules(80), ext=lambda s, size: steps(20, 150, 9)(s)),
    'flag': dict(metrics=CPU(), behavior=None, load=steps(700, 3300, 11), down=200),
}


def sample(w):
    s = w.snapshot()
    line = {'t': iso(w.now, True)[:23].rstrip('Z') + 'Z'}
    line.update({k: s[k] for k in PARTS if k in s})
    return line


def record(world):
    w = FW(1, ready=5, minutes=45, **world)
    lines = [{'kind': 'Record', 'apiVersion': 'hpa-explain/v1', 'namespace': 'shop', 'horizontalPodAutoscaler': 'web', 'recordedAt': iso(w.start), 'toolVersion': '0.1.0'}]
    last = {}
    def note():
        line = sample(w); whole = dict(line)
        if last: line = {k: v for k, v in line.items() if k == 't' or last.get(k) != v}
        else: line['full'] = True
        last.update(whole); lines.append(line)
    while w.next < w.start + w.minutes * 60 * SEC:
        due = w.next
        if due - SEC > w.now: w.advance(due - SEC)
        note()
        w.advance(due); w.do_pass()
        w.advance(due + SEC // 2); note()
    return lines


if __name__ == '__main__':
    for name, world in WORLDS.items():
        text = '\n'.join(json.dumps(line, separators=(',', ':')) for line in record(world)) + '\n'
        with open(os.path.join(sys.argv[1], name + '.jsonl.gz'), 'wb') as out: out.write(gzip.compress(text.encode(), 9, mtime=0))
