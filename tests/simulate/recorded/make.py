#!/usr/bin/env python3
"""Makes the records of this folder, and truth.json: what the reference model did.

    python3 tests/simulate/recorded/make.py [NAME…]

A record is NAME.jsonl.gz. Of each, truth.json has the size before the first
pass, the size after each pass, and under `with` how often the size of the same
world changed and turned round under another setting, by what `--set` takes. short0 and noise0
were made before by another run of the same model: their sizes are read from
the record.
"""
import gzip, json, os, random, sys, tempfile
from datetime import datetime

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'reference'))
from fw import CPU, FW, SEC, iso, noise, sine, square


class Late(FW):
    """An FW whose pods have their first sample `first` seconds after they were
    made (a number, or a range of them). With `late`, a sample tells what the
    pod used in the 15 s before its timestamp; else what it uses now."""
    def __init__(w, *a, first=20, late=False, **k):
        w.first, w.late, w.past = first, late, []
        FW.__init__(w, *a, **k)

    def first_of(w, name):
        return random.Random(name).randint(*w.first) if isinstance(w.first, tuple) else w.first

    def ready(w, at):
        return [p[0] for p in w.pods if at - p[1] >= w.readyafter * SEC]

    def podlist(w):
        pods, _ = FW.podlist(w)
        items, taken, ready = [], w.now // (15 * SEC) * 15 * SEC, w.ready(w.now)
        for name, made in w.pods:
            age = (w.now - made) / SEC
            if (taken - made) / SEC < w.first_of(name): continue
            if w.late: used = w.used(name, made, taken)
            else:
                used = w.loadfn(w.sec()) / len(ready) if name in ready else 0
                if w.burst and age < w.burst[1]: used += w.burst[0]
            items.append({'metadata': {'name': name, 'namespace': 'shop', 'labels': {'app': 'web', 'pod-template-hash': name.split('-')[1]}},
                          'timestamp': iso(taken), 'window': '15s', 'containers': [{'name': 'app', 'usage': {'cpu': '%dn' % int(used * 1e6), 'memory': '200Mi'}}]})
        return pods, items

    def inputs(w):
        s = FW.inputs(w)
        s['pods'], s['metrics']['resource']['response']['items'] = w.podlist()
        return s

    def advance(w, t):
        if w.late:
            at = max(w.now, w.past[-1][0] + SEC if w.past else w.now - 40 * SEC) // SEC * SEC
            while at <= t:
                w.past.append((at, w.ready(at), w.loadfn((at - w.start) / SEC)))
                at += SEC
            del w.past[:-80]
        FW.advance(w, t)

    def used(w, name, made, end):
        window = range(end - 15 * SEC, end, SEC)
        used = sum(load / len(ready) for at, ready, load in w.past if at in window and name in ready)
        if w.burst: used += w.burst[0] * sum(0 <= (at - made) / SEC < w.burst[1] for at in window)
        return used / 15


def policy(kind, value, period): return [{'type': kind, 'value': value, 'periodSeconds': period}]
def behavior(down, up=None, **policies):
    b = {'scaleDown': {'stabilizationWindowSeconds': down}}
    if up is not None: b['scaleUp'] = {'stabilizationWindowSeconds': up}
    for way, own in policies.items(): b.setdefault(way, {})['policies'] = own
    return b


DOWN = 'spec.behavior.scaleDown.stabilizationWindowSeconds='
WORLDS = {
    'noise-short': dict(seed=11, behavior=behavior(0), mx=40, load=noise(4000, .4, 5), ready=10, first=20),
    'noise-slow': dict(seed=12, behavior=behavior(0), mx=40, load=noise(5000, .4, 6), ready=20, first=30),
    'noise-window': dict(seed=13, behavior=behavior(30), mx=30, load=noise(3000, .6, 7), ready=3, first=25),
    'square-short': dict(seed=14, behavior=behavior(30), mx=40, load=square(1500, 7000, 150), ready=10, first=35),
    'square-pods': dict(seed=15, behavior=behavior(15, scaleUp=policy('Pods', 3, 30)), mx=30, load=square(1200, 5000, 240), ready=35, first=35),
    'sine-short': dict(seed=16, behavior=behavior(0), mx=40, load=sine(1500, 7000, 300), ready=10, first=28),
    'sine-policy': dict(seed=17, behavior=behavior(0, scaleDown=policy('Percent', 20, 60)), mx=40, load=sine(1500, 9000, 420), ready=5, first=22),
    'up-window': dict(seed=18, behavior=behavior(0, 30), mx=30, load=noise(3000, .5, 9), ready=12, first=20),
    'noise-ranged': dict(seed=19, behavior=behavior(0), mx=40, load=noise(4000, .4, 15), ready=10, first=(20, 35)),
    'burst': dict(seed=20, behavior=behavior(30), mx=40, load=square(2000, 5000, 300), burst=(400, 60), ready=10, first=20),
    'late-square': dict(seed=21, behavior=behavior(30), mx=40, load=square(1500, 6000, 200), ready=10, first=20, late=True),
    'late-noise': dict(seed=22, behavior=behavior(0), mx=40, load=noise(4000, .4, 25), ready=8, first=25, late=True),
}
# What `flaps` suggests on them.
TRIED = [DOWN + str(seconds) for seconds in (60, 90, 120, 150, 180, 240, 270, 300, 420)]


def world(name, change=None):
    given = dict(WORLDS[name])
    w = Late(given.pop('seed'), CPU(), minutes=25, **given)
    if change:
        path, value = change.split('=', 1)
        *way, last = path.split('.')[1:]
        own = w.spec
        for part in way: own = own.setdefault(part, {})
        own[last] = json.loads(value)
    return w


def sizes(w):
    end, sizes = w.start + w.minutes * 60 * SEC, []
    while w.next < end:
        w.advance(w.next)
        w.do_pass()
        sizes.append(w.size)
    return sizes


def pack(text, path):
    with open(path, 'wb') as out, gzip.GzipFile('', 'wb', 9, out, 0) as packed: packed.write(text)


def turns(first, sizes):
    """How often the size changed, and how often it turned round."""
    steps = [b > a for a, b in zip([first] + sizes, sizes) if a != b]
    return [len(steps), sum(a != b for a, b in zip(steps, steps[1:]))]


def of_record(path):
    """The size before the first pass, and after each: a pass is 15 s and about
    31 ms after the one before it, and the first rescale tells when one was."""
    def second(text): return datetime.fromisoformat(text).timestamp()
    size, seen, scaled = None, [], None
    for line in gzip.open(path, 'rt'):
        line = json.loads(line)
        if 't' not in line: continue
        if 'scale' in line: size = line['scale']['response']['spec']['replicas']
        seen.append((second(line['t']), size))
        scaled = scaled or line.get('horizontalPodAutoscaler', {}).get('status', {}).get('lastScaleTime')
    begin, end = seen[0][0], seen[-1][0]
    first, sizes = begin + (second(scaled) + 1 - begin) % 15 - 1, []
    while first + 15.031 * len(sizes) < end:
        after = first + 15.031 * len(sizes) + 6
        sizes.append([size for at, size in seen if at <= after][-1])
    return seen[0][1], sizes


if __name__ == '__main__':
    file = os.path.join(HERE, 'truth.json')
    truth = json.load(open(file)) if os.path.exists(file) else {}
    for name in sys.argv[1:] or WORLDS:
        with tempfile.TemporaryDirectory() as folder:
            w = world(name)
            first = w.size
            own = w.run(folder + '/r')
            pack(open(folder + '/r.jsonl', 'rb').read(), os.path.join(HERE, name + '.jsonl.gz'))
        truth[name] = {'first': first, 'sizes': own, 'with': {change: turns(first, sizes(world(name, change))) for change in TRIED}}
        print(name, len(own), 'passes,', min(own), 'to', max(own), 'pods')
    for name in ('short0', 'noise0'):
        first, own = of_record(os.path.join(HERE, name + '.jsonl.gz'))
        truth[name] = {'first': first, 'sizes': own}
    rows = ',\n'.join(' %s: %s' % (json.dumps(name), json.dumps(truth[name], separators=(',', ':'))) for name in sorted(truth))
    open(file, 'w').write('{\n' + rows + '\n}\n')
