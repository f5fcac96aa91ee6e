"""Makes cases.jsonl.gz: what is seen of a world before a pass, and what its controller goes on to do.

    make.py CASES.txt > cases.jsonl; gzip -9n cases.jsonl

needs world.py and hpa.py beside it or in ../reference. Each line of CASES.txt is `SEED.N` and what the case is of, and
where a third field follows, separated by tabs, the change of the spec, as `dry-run --set` takes it. The load stays as it is; `path` is
each pass until the size has rested for long: when, from, to. `decides` is what the pass at the time of the snapshot
decides under the changed spec."""
import copy, json, os, random, sys
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(here, '..', 'reference'), os.environ.get('REFERENCE', here)]
from world import DEF_DN, DEF_UP, SEC, World, iso


def moments(seed):
    """The two moments of a world: the world then, the snapshot."""
    r = random.Random(seed * 7 + 1)
    w = World(seed, actions=r.random() < 0.7, ideal=r.random() < 0.8)
    for _ in range(r.randint(20, 90)):
        w.tick_to_pass()
        w.do_pass()
    for rep in range(2):
        for _ in range(r.randint(1, 6)):
            w.tick_to_pass()
            w.do_pass()
        t = min(w.now + r.randrange(SEC // 10, max(SEC // 5, w.next - w.now)), w.next - 10**6)
        c = w.clone()
        c.now = t
        if c.now < c.fail_until or c.now < c.scalefail_until:
            continue
        sight = r.random()
        snap = c.snapshot(lease=sight > 0.15, events=sight < 0.85)
        if r.random() < 0.25:
            snap['history'] = c.memory()
        yield rep, c, snap


def played(c):
    w = c.clone()
    w.actions = False
    path, quiet = [], 0
    while quiet <= 60 and len(path) < 600:
        w.now, before = w.next, w.size
        w.do_pass()
        path.append([iso(w.now, True), before, w.size])
        quiet = quiet + 1 if before == w.size else 0
    return path


def merged(spec, field, value):
    spec = copy.deepcopy(spec)
    *way, last = field.split('.')[1:]
    place = spec
    for key in way:
        place = place.setdefault(key, {})
    if value is None:
        place.pop(last, None)
    else:
        place[last] = value
    for side, policies in (('scaleUp', DEF_UP), ('scaleDown', DEF_DN)) if 'behavior' in spec else ():
        rules = spec['behavior'].setdefault(side, {})
        if side == 'scaleUp':
            rules.setdefault('stabilizationWindowSeconds', 0)
        rules.setdefault('selectPolicy', 'Max')
        rules.setdefault('policies', copy.deepcopy(policies))
    return spec


if __name__ == '__main__':
    for line in open(sys.argv[1]):
        place, what, *change = line.rstrip('\n').split('\t')
        seed, number = map(int, place.split('.'))
        _, c, snap = next(it for it in moments(seed) if it[0] == number)
        case = {'name': place, 'what': what, 'snapshot': snap, 'path': played(c)}
        if change:
            field, value = change[0].split('=')
            e = c.clone()
            e.spec = merged(e.spec, field, json.loads(value))
            case |= {'spec': e.spec, 'decides': e.true_answer()[0]['desiredReplicas']}
        print(json.dumps(case, sort_keys=True))
