#!/usr/bin/env python3
"""Made-up histories through the reference model; every statement about the
future that the plugin makes is held against playing the model on, and the
numbers of its findings are computed anew.

  sweep.py BINARY [--worlds 500] [--first SEED] [--keep DIR]

A world is a cluster made from a seed: releases from 1.25 on, behaviors,
metrics of all kinds, pods that start and report late, edits, scaling by hand,
failing metrics, restarts of the controller. Three moments of each are taken
between two passes, some with all that the controller remembers, some with no
more than the API keeps. Printed: how many statements of each kind held, were
wrong, and were withheld (said as a range, or not said). The exit status is 1
if any is wrong. --keep writes the input of each wrong one there.
"""
import argparse, collections, copy, gzip, json, os, random, re, shlex, subprocess, sys, tempfile
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hpa, world, findings
from hpa import Pass, MErr, SEC, ts, milli
from fw import CPU, EXT, FW
from world import World, iso, rand_behavior, DEF_UP, DEF_DN

RELEASES = ['v1.25.16', 'v1.26.15', 'v1.27.16', 'v1.28.15', 'v1.29.14', 'v1.30.1', 'v1.31.4', 'v1.32.9', 'v1.33.13', 'v1.34.2', 'v1.35.0', 'v1.36.2', 'v1.37.0', 'v1.38.0-alpha.1']
MiB = 1 << 20


# ---------------------------------------------------------------- the worlds
def target(kind, r):
    value = {'AverageValue': 'averageValue', 'Value': 'value'}
    return {'type': kind, value[kind]: str(r.choice([5, 10, 30]))}


def metrics(r):
    def one(kind):
        if kind == 'cpu': return {'type': 'Resource', 'resource': {'name': 'cpu', 'target': {'type': 'Utilization', 'averageUtilization': r.choice([50, 60, 80])}}}
        if kind == 'cpuavg': return {'type': 'Resource', 'resource': {'name': 'cpu', 'target': {'type': 'AverageValue', 'averageValue': r.choice(['100m', '250m'])}}}
        if kind == 'memory': return {'type': 'Resource', 'resource': {'name': 'memory', 'target': {'type': 'Utilization', 'averageUtilization': r.choice([60, 80])}}}
        if kind == 'container': return {'type': 'ContainerResource', 'containerResource': {'name': 'cpu', 'container': 'app', 'target': {'type': 'Utilization', 'averageUtilization': r.choice([50, 80])}}}
        if kind == 'pods': return {'type': 'Pods', 'pods': {'metric': {'name': 'rps'}, 'target': target('AverageValue', r)}}
        if kind == 'object': return {'type': 'Object', 'object': {'metric': {'name': 'hits'}, 'describedObject': {'apiVersion': 'networking.k8s.io/v1', 'kind': 'Ingress', 'name': 'main'}, 'target': target(r.choice(['AverageValue', 'Value']), r)}}
        return {'type': 'External', 'external': {'metric': {'name': 'queue'}, 'target': target('AverageValue' if kind == 'extavg' else 'Value', r)}}
    first = r.choice(['cpu', 'cpu', 'cpu', 'cpuavg', 'container', 'pods', 'object', 'extavg', 'extvalue', 'memory'])
    name = {'cpuavg': 'cpu', 'extavg': 'ext', 'extvalue': 'ext'}
    second = r.choice(['cpu', 'memory', 'extavg', 'extvalue', 'pods', 'object'])
    kinds = [first] + ([second] if r.random() < .35 and name.get(first, first) != name.get(second, second) else [])
    return [one(k) for k in kinds]


def resource(name, **goal): return {'type': 'Resource', 'resource': {'name': name, 'target': dict(type='Utilization' if 'averageUtilization' in goal else 'AverageValue', **goal)}}
RPS = {'type': 'Pods', 'pods': {'metric': {'name': 'rps'}, 'target': {'type': 'AverageValue', 'averageValue': '10'}}}


# What is peculiar about each third world, one after the other.
def negative(w, r): w.below = True; w.spec['metrics'] = r.choice([EXT(10), EXT(10), EXT(10, 'Value'), [RPS], EXT(10) + CPU(60)])
def limits(w, r):
    w.limits = r.choice([{'cpu': '500m', 'memory': '512Mi'}, {'cpu': '700m', 'memory': '600Mi'}])
    w.spec['metrics'] = r.choice([CPU(150), [resource('memory', averageUtilization=120)], [resource('cpu', averageValue='800m')], CPU(60)])
def hot(w, r): w.hot = r.choice([4, 7, 12]); w.spec['metrics'] = r.choice([CPU(60), CPU(80), [resource('cpu', averageValue='250m')], [RPS]])
def idle(w, r): w.idle = r.choice([100, 170]); w.spec['metrics'] = CPU(10); w.mx = w.spec['maxReplicas'] = 8
def twice(w, r):
    twin = copy.deepcopy(w.spec['metrics'][0]); t = next(v for k, v in twin.items() if k != 'type')['target']
    for k in t.keys() - {'type'}: t[k] = r.choice([t[k], 40, 90] if k == 'averageUtilization' else [t[k], '20', '150m'])
    w.spec['metrics'].append(twin)
def deleted(w, r): w.deleted = w.now + r.randrange(600) * SEC
def fixed(w, r): w.mn = w.mx = w.spec['minReplicas'] = w.spec['maxReplicas'] = w.size
def periods(w, r):
    if w.phase != 'bare': w.ctl['syncPeriodSeconds'] = r.choice([15, 30, 60])
    def rules(share): return {'stabilizationWindowSeconds': r.choice([0, 10, 15, 45]), 'policies': [{'type': 'Percent', 'value': share, 'periodSeconds': r.choice([5, 10, 15])}, {'type': 'Pods', 'value': 2, 'periodSeconds': r.choice([5, 20])}]}
    w.spec['behavior'] = {'scaleUp': rules(50), 'scaleDown': rules(20)}; default(w.spec)
def abrupt(w):
    """Another load at each pass, and nothing that limits the way down."""
    w.abrupt = True; w.mx = w.spec['maxReplicas'] = 30
    w.spec['behavior'] = {'scaleDown': {'stabilizationWindowSeconds': 0}}; default(w.spec)
def by_hand(w, r):
    """The size is set by hand now and then; without behavior what was asked for before raises it again."""
    w.hands = True
    if r.random() < .7: w.spec.pop('behavior', None); abrupt(w); w.spec.pop('behavior', None)
ODD = [negative, limits, hot, idle, twice, deleted, fixed, periods]


class Swept(FW):
    """A world of every kind of metric, whose load goes by World's steps."""
    below = hot = idle = deleted = abrupt = hands = False; limits = None
    def __init__(w, seed):
        r = random.Random(seed * 7919 + 1)
        version = r.choice(RELEASES)
        minor = int(version.split('.')[1])
        mn = r.choice([1, 2, 3]); mx = r.choice([8, 15, 30, 60])
        FW.__init__(w, seed, metrics(r), rand_behavior(r, minor), mn, mx, r.randint(mn, mx), version, ready=r.choice([5, 10, 40]))
        w.actions = r.random() < .8
        w.ctl = {'downscaleStabilizationSeconds': r.choice([300, 300, 60, 0, 120]), 'tolerance': r.choice([.1, .1, .05]), 'syncPeriodSeconds': 15}
        w.ideal = r.random() < .5
        w.proxy = r.random() < .3
        w.created = w.now - r.choice([20, 3600, 86400]) * SEC
        w.edited = w.created; w.lease_at = w.now - r.choice([5, 600, 86400]) * SEC
        w.started_before = min(w.now - w.created, w.now - w.lease_at) > 60 * SEC
        w.phase = r.choice(['known', 'known', 'open', 'open', 'open', 'bare'])
        # Without a word of the controller's flags, defaults are taken.
        if w.phase == 'bare': w.ctl.update(downscaleStabilizationSeconds=300, tolerance=.1)
        w.util = 50
        w.sizes = []
        w.req = 500
        if seed % 9 == 1: abrupt(w)
        if seed % 9 == 2: by_hand(w, random.Random(seed * 7907))
        if seed % 3 == 0: ODD[seed // 3 % len(ODD)](w, random.Random(seed * 104729))
    def act(w):
        FW.act(w); w.mx = w.spec['maxReplicas'] = max(w.mx, w.spec['minReplicas'])
        if w.hands and w.r.random() < .05: w.strike(w.r, False)
    def strike(w, r, edits):
        """Somebody sets the size, or bounds that it is outside of."""
        # From 1.37 on an edit queues a pass at once, which these worlds do not have.
        if edits and w.minor < 37 and r.random() < .3:
            if r.random() < .5: w.mn = w.spec['minReplicas'] = w.size + r.choice([1, 4]); w.mx = w.spec['maxReplicas'] = max(w.mx, w.mn)
            elif w.size > 1: w.mx = w.spec['maxReplicas'] = max(1, w.size - r.choice([1, 4])); w.mn = w.spec['minReplicas'] = min(w.mn, w.mx)
            w.edited = w.now; return
        n = r.randint(1, w.size)
        if n != w.size: w.log.append(('scale %d->%d' % (w.size, n), iso(w.now))); w.setsize(n); w.manual = w.now
    def step_load(w):
        w.ext = abs(w.ext); w.load_until *= not w.abrupt; World.step_load(w)
        if w.below and w.odd_load: w.ext = -w.ext
    @property
    def odd_load(w): return int(w.base) % 2
    def do_pass(w):
        o = FW.do_pass(w); w.next += (w.ctl['syncPeriodSeconds'] - 15) * SEC; return o
    def setsize(w, n, who='hpa'):
        if n != w.size: w.sizes.append((w.now, w.size, n))
        FW.setsize(w, n, who)
    def podlist(w):
        out = []; items = []; w.custom = []
        ready = [t for _, t in w.pods if w.ideal or w.now - t >= w.readyafter * SEC]
        share = max(1, int(w.load) // max(1, len(ready)))
        for k, (n, t) in enumerate(w.pods):
            age = w.now - t; up = w.ideal or age >= w.readyafter * SEC
            times = w.hot if w.hot and k == 0 and w.odd_load else 1
            started = t if not w.ideal else t - 86400 * SEC
            when = started + w.readyafter * SEC
            names = [('app', '500m', '512Mi')] + ([('proxy', '100m', '128Mi')] if w.proxy else [])
            out.append({'metadata': {'name': n, 'namespace': 'shop', 'labels': {'app': 'web', 'pod-template-hash': n.split('-')[1]}, 'creationTimestamp': iso(started),
                                     'ownerReferences': [{'apiVersion': 'apps/v1', 'kind': 'ReplicaSet', 'name': 'web-' + n.split('-')[1], 'uid': 'r' + n.split('-')[1], 'controller': True}]},
                        'spec': {'containers': [{'name': c, 'resources': dict({'requests': {'cpu': cpu, 'memory': mem}}, **({'limits': w.limits} if w.limits else {}))} for c, cpu, mem in names]},
                        'status': {'phase': 'Running' if up or age >= 3 * SEC else 'Pending', 'startTime': iso(started), 'conditions': [{'type': 'Ready', 'status': 'True' if up else 'False', 'lastTransitionTime': iso(when if up else started)}]}})
            s = w.now if w.ideal else w.now // (15 * SEC) * 15 * SEC
            if w.ideal or s - t >= 20 * SEC:
                u = (w.idle + k % 3 * 5 if w.idle else share * times) if up else 0
                if w.limits: u = min(u, milli(w.limits['cpu']))
                cs = [{'name': 'app', 'usage': {'cpu': '%dm' % (u - u // 5 if w.proxy else u), 'memory': '%dMi' % w.mem}}]
                if w.proxy: cs.append({'name': 'proxy', 'usage': {'cpu': '%dm' % (u // 5), 'memory': '40Mi'}})
                items.append({'metadata': {'name': n, 'namespace': 'shop', 'labels': out[-1]['metadata']['labels']}, 'timestamp': iso(s), 'window': '15s', 'containers': cs})
                w.custom.append({'describedObject': {'kind': 'Pod', 'namespace': 'shop', 'name': n, 'apiVersion': '/v1'}, 'metricName': 'rps', 'timestamp': iso(s), 'value': '%dm' % (int(w.ext * 1000) * times // max(1, len(ready)) if up else 0)})
        return out, items
    @property
    def mem(w): return 180 + int(w.load) % 300
    def inputs(w):
        s = World.inputs(w)
        pods, items = w.podlist()
        ext = '%dm' % int(w.ext * 1000)
        failing = w.now < w.fail_until
        down = 'the server is currently unable to handle the request (get %s)'
        s['pods'] = pods
        s['scale'].get('response', {}).get('status', {}).update(replicas=len(w.pods))
        if w.deleted and w.deleted <= w.now: s['horizontalPodAutoscaler']['metadata'].update(deletionTimestamp=iso(w.deleted), finalizers=['example.com/hold'])
        m = s['metrics'] = {}
        kinds = {x['type'] for x in w.spec['metrics']}
        if kinds & {'Resource', 'ContainerResource'}:
            m['resource'] = {'error': down % 'pods.metrics.k8s.io'} if failing and w.failwhat == 'cpu' else {'response': {'kind': 'PodMetricsList', 'apiVersion': 'metrics.k8s.io/v1beta1', 'items': items}}
        if 'External' in kinds:
            one = {'metric': 'queue', 'metricSelector': ''}
            m['external'] = [dict(one, error=down % 'queue.external.metrics.k8s.io') if failing and w.failwhat == 'ext' else dict(one, response={'items': [{'metricName': 'queue', 'timestamp': iso(w.now), 'value': ext}]})]
        if 'Pods' in kinds: m.setdefault('custom', []).append({'metric': 'rps', 'metricSelector': '', 'response': {'items': w.custom}})
        if 'Object' in kinds:
            d = {'apiVersion': 'networking.k8s.io/v1', 'kind': 'Ingress', 'namespace': 'shop', 'name': 'main'}
            m.setdefault('custom', []).append({'metric': 'hits', 'metricSelector': '', 'describedObject': d, 'response': {'items': [{'describedObject': d, 'metricName': 'hits', 'timestamp': iso(w.now), 'value': ext}]}})
        return s


def moments(seed):
    """Three moments of a world, each between two passes: what is collected
    there, what the controller remembers, and when its next pass is."""
    w = Swept(seed)
    r = random.Random(seed * 31 + 7)
    # A controller that has led for long has no memory that begins just now.
    at = sorted(r.sample(range(48 if w.started_before else 8, 150), 3))
    for k in range(at[-1] + 1):
        w.tick_to_pass()
        # Each third world is seen when its load has just changed, right before the pass.
        v = w.clone() if seed % 3 == 1 and k in at else None
        w.do_pass()
        if k not in at: continue
        if v: v.now -= 1000
        else:
            v = w.clone(); v.now += r.choice([r.randrange(1, SEC), r.randrange(1, 14 * SEC), r.randrange(1, 14 * SEC)])
            # Some say when they were taken in whole seconds, as others do.
            if r.random() < .5 and v.now // SEC * SEC > w.now: v.now = v.now // SEC * SEC
            if v.hands and r.random() < .7: v.strike(r, True)
        bare = v.phase == 'bare'
        s = v.snapshot(lease=not bare, events=not bare or r.random() < .5, flags=not bare)
        truth = copy.deepcopy(s); truth['controller'] = copy.deepcopy(v.ctl)
        if v.phase == 'known': s['history'] = v.memory()
        yield {'seed': seed, 'k': k, 'snapshot': s, 'truth': truth, 'memory': (v.recs, v.up, v.down), 'conds': v.conds, 'next': v.next, 'now': v.now, 'minor': v.minor, 'phase': v.phase, 'log': list(v.log), 'sizes': list(v.sizes), 'passes': list(v.truth)}


# ---------------------------------------------------------------- playing on
class Told(Pass):
    """A pass whose metrics are told: what they ask for, or None, where they fail."""
    def __init__(p, s, ask):
        Pass.__init__(p, dict(s, pods=[], metrics={}))
        p.ask = ask
    def evaluate(p, *_): raise MErr('')
    def all_metrics(p, cur, srepl, text, results):
        p.told = n = p.ask(cur)
        if n is None: raise MErr('fails')
        return n, 'metric', None


def default(spec):
    """What the API server fills in."""
    b = spec.get('behavior')
    if b is not None:
        for k, pol in (('scaleUp', DEF_UP), ('scaleDown', DEF_DN)):
            d = b.get(k) or {}; b[k] = d
            if k == 'scaleUp' and d.get('stabilizationWindowSeconds') is None: d['stabilizationWindowSeconds'] = 0
            if d.get('selectPolicy') is None: d['selectPolicy'] = 'Max'
            if not d.get('policies'): d['policies'] = copy.deepcopy(pol)
    return spec


class Truth:
    """The controller from a moment on."""
    def __init__(t, m):
        t.m = m; t.s = m['truth']
        sc = t.s['scale'].get('response')
        t.readable = sc is not None
        t.size = sc['spec']['replicas'] if sc else None
        t.sync = t.s['controller']['syncPeriodSeconds'] * SEC
        t.rec = {}
    def shell(t, now, size, spec=None):
        s = dict(t.s, capturedAt=iso(now, True))
        s['scale'] = copy.deepcopy(t.s['scale'])
        s['scale']['response']['spec']['replicas'] = size; s['scale']['response']['status']['replicas'] = size
        if spec is not None: s['horizontalPodAutoscaler'] = dict(s['horizontalPodAutoscaler'], spec=spec)
        return s
    def start(t, p):
        p.recs, p.up, p.down = copy.deepcopy(t.m['memory']); p.conds = copy.deepcopy(t.m['conds']); return p
    def as_it_is(t, now=None, spec=None, inputs=None):
        s = dict(inputs or t.s, capturedAt=iso(now or t.m['now'], True))
        if spec is not None: s['horizontalPodAutoscaler'] = dict(s['horizontalPodAutoscaler'], spec=spec)
        p = t.start(Pass(s)); o = p.run(); return o, p
    def at_size(t, n, spec, counted, share=False):
        """The inputs once the target has n pods, all of which count: the load
        altogether is the same, but for what each pod holds."""
        s = t.s; pods = s['pods']; m = s['metrics']
        far = t.m['now']
        ready = {p['metadata']['name'] for p in pods if any(c['status'] == 'True' for c in p['status']['conditions'])}
        out = []; tmpl = pods[0]
        old = iso(far - 86400 * SEC)
        for i in range(n):
            p = copy.deepcopy(tmpl); p['metadata']['name'] = 'web-7fb6cc87f-x%d' % i; p['status'] = {'phase': 'Running', 'startTime': old, 'conditions': [{'type': 'Ready', 'status': 'True', 'lastTransitionTime': old}]}
            out.append(p)
        new = {}
        def spread(total, i): return total // n + (1 if i < total % n else 0)
        def whole(vs, names):
            """The load altogether: pods that are Ready and do not count take as much as those that do."""
            taking = sum(name in ready for name in names)
            return sum(vs) * len(ready) // taking if t.whole and taking else sum(vs)
        if 'resource' in m:
            if 'error' in m['resource']: new['resource'] = m['resource']
            else:
                items = [i for i in m['resource']['response']['items'] if i['metadata']['name'] in counted]
                if not items: return None
                def each(i, c, res):
                    vs = [milli(x['usage'][res]) for it in items for x in it['containers'] if x['name'] == c]
                    if res == 'memory' and not share: return '%dm' % (-(-sum(vs) // len(vs)))
                    return '%dm' % spread(whole(vs, [it['metadata']['name'] for it in items]), i)
                cs = [c['name'] for c in items[0]['containers']]
                new['resource'] = {'response': {'items': [{'metadata': p['metadata'], 'timestamp': iso(far), 'window': '15s', 'containers': [{'name': c, 'usage': {res: each(i, c, res) for res in ('cpu', 'memory')}} for c in cs]} for i, p in enumerate(out)]}}
        if 'external' in m: new['external'] = m['external']
        for c in m.get('custom', []):
            if c['metric'] == 'rps':
                told = [i for i in c['response']['items'] if i['describedObject']['name'] in counted]
                if not told: return None
                total = whole([milli(i['value']) for i in told], [i['describedObject']['name'] for i in told])
                c = dict(c, response={'items': [dict(c['response']['items'][0], describedObject={'kind': 'Pod', 'name': p['metadata']['name']}, value='%dm' % spread(total, i)) for i, p in enumerate(out)]})
            new.setdefault('custom', []).append(c)
        x = t.shell(far, n, spec); x['pods'] = out; x['metrics'] = new
        return x
    def counts(t):
        """The pods that count for each of the metrics, and whether all do."""
        _, p = t.as_it_is()
        aside = set()
        for r in p.results:
            for g in ('unreadyPods', 'missingPods', 'ignoredPods'): aside |= set(r['G'].get(g, []))
        names = {x['metadata']['name'] for x in t.s['pods']}
        return names - aside, not aside
    whole = True
    def asks(t, spec):
        """What the metrics ask for at a size, the load staying."""
        counted, _ = t.counts()
        key = json.dumps(spec, sort_keys=True)
        def ask(n):
            k = (key, n, t.whole)
            if k not in t.rec:
                x = t.at_size(n, spec, counted) if n else None
                if x is None: t.rec[k] = None
                else:
                    p = Pass(x); p.recs = [[n, 0]]; p.spec = dict(spec, minReplicas=0 if p.minor > 35 else 1, maxReplicas=1 << 30); p.run(); r = getattr(p, 'recommendation', -1)
                    t.rec[k] = None if r == -1 else r
            return t.rec[k]
        return ask
    def play(t, start, passes, ask, spec=None, first=None, late=1000):
        """Pass after pass: (moment, size before, asked for, size after)."""
        recs, up, down = copy.deepcopy(t.m['memory']); conds = copy.deepcopy(t.m['conds']); size = t.size; now = start
        for k in range(passes):
            s = t.shell(now, size, spec)
            if k == 0 and first: p = Pass(dict(first, capturedAt=iso(now, True), horizontalPodAutoscaler=s['horizontalPodAutoscaler']))
            else: p = Told(s, ask)
            p.recs, p.up, p.down, p.conds = recs, up, down, conds
            o = p.run(); recs, up, down, conds = p.recs, p.up, p.down, p.conds
            after = o['scaleTo'] if o.get('rescale') else size
            yield now, size, getattr(p, 'recommendation', -1), after
            size = after; now += t.sync + late
    # Never a whole period to the nanosecond: what is just as old as a window counts without behavior.
    # dry-run --for has its passes at whole periods (late=0), and says so.


# ---------------------------------------------------------------- the statements
class Tally:
    def __init__(t, keep): t.n = collections.defaultdict(collections.Counter); t.wrong = []; t.other = []; t.keep = keep
    def __call__(t, kind, result, m=None, why=''):
        t.n[kind][result] += 1
        if result == 'wrong': t.wrong.append((kind, m['seed'], m['k'], m['phase'], m['snapshot']['serverVersion'], why))
    def hold(t, kind, ok, m, why=''): t(kind, 'held' if ok else 'wrong', m, why); return ok


def inside(range_, n): return range_ is not None and range_['from'] <= n <= range_['to']


def decision(tally, m, d, truth):
    o, p = truth.as_it_is()
    out = d['trace']['outcome']
    after = o['scaleTo'] if o.get('rescale') else p.s['scale'].get('response', {}).get('spec', {}).get('replicas')
    if out['desiredReplicas'] is not None: tally.hold('decision', out['desiredReplicas'] == o['desiredReplicas'], m, 'said %s true %s' % (out['desiredReplicas'], o['desiredReplicas']))
    elif out['possible']: tally('decision', 'withheld'); tally.hold('decision, as a range', inside(out['possible'], after), m, 'said %s true %s' % (out['possible'], after))
    else: tally('decision', 'withheld')
    return o, p


def next_steps(tally, m, d, truth, o, p):
    look = d['trace'].get('outlook')
    rec = getattr(p, 'recommendation', -1)
    if not look: tally('next step', 'withheld' if truth.readable and rec != -1 else 'not said'); return
    # A controller queues its first pass for a period after it began; World's comes sooner.
    began = truth.s.get('controllerLease', {}).get('spec', {}).get('acquireTime')
    if began and m['next'] - ts(began) < truth.sync: tally('next step', 'sooner than a controller begins'); return
    spec = truth.s['horizontalPodAutoscaler']['spec']
    cur = truth.size
    soon = look.get('nextPass')
    if soon:
        _, _, _, after = next(truth.play(m['next'], 1, lambda n: rec))
        told = 'said %s true %s %d' % (soon, iso(m['next'], True), after)
        # The pass may start a moment late.
        tally.hold('next pass: when', ts(soon['earliest']) <= m['next'] <= ts(soon['latest']) + SEC // 2, m, told)
        tally.hold('next pass: size', inside(soon['replicas'], after), m, told)
        if soon['replicas']['from'] != soon['replicas']['to']: tally('next pass: size', 'as a range')
    for way, sign, far in (('up', 1, spec['maxReplicas']), ('down', -1, spec['minReplicas'])):
        step = look[way]
        kind = 'next step ' + ('asked for' if step['asked'] else 'if asked for')
        ask = rec if step['asked'] else far
        if step['asked'] != ((rec - cur) * sign > 0): tally(kind, 'wrong', m, way + ' asked'); continue
        hit = None
        for now, before, _, after in truth.play(m['next'], 150, lambda n: ask):
            if (after - before) * sign > 0: hit = now, after; break
            if after != before: hit = 'overtaken'; break
        # Before it could come, the size went the other way.
        if hit == 'overtaken': tally(kind, 'overtaken'); continue
        earliest = ts(step['earliest']) if step['earliest'] else m['now']
        latest = ts(step['latest']) if step['latest'] else None
        told = 'said %s %s..%s %s; ' % (way, step['earliest'], step['latest'], step['replicas'])
        if hit is None:
            never = latest is None or latest > m['next'] + 149 * truth.sync
            tally.hold(kind, never, m, told + 'true: never'); continue
        told += 'true: %s %d (asks for %d from %d; now %s, next %s)' % (iso(hit[0], True), hit[1], ask, cur, iso(m['now'], True), iso(m['next'], True))
        if step['replicas'] is None: tally(kind, 'wrong', m, told); continue
        ok = earliest <= hit[0]
        if latest is not None: ok = ok and hit[0] <= max(latest, m['next'])
        tally.hold(kind + ': when', ok, m, told)
        tally.hold(kind + ': size', inside(step['replicas'], hit[1]), m, told)
        if step['replicas']['from'] != step['replicas']['to']: tally(kind + ': size', 'as a range')


def settles(tally, m, d, truth):
    said = d['trace'].get('prospects', {}).get('settling')
    if not truth.readable: return
    spec = truth.s['horizontalPodAutoscaler']['spec']
    _, p0 = truth.as_it_is()
    if getattr(p0, 'recommendation', -1) == -1:
        if said: tally('rests at', 'wrong', m, 'said %s, but the metrics fail' % said)
        return
    if not said: tally('rests at', 'withheld'); return
    _, all_count = truth.counts()
    def end(whole):
        truth.whole = whole
        sizes = []; steps = []; quiet = 0
        b = spec.get('behavior')
        longest = max([m['truth']['controller']['downscaleStabilizationSeconds']] + ([d_.get('stabilizationWindowSeconds') or 0 for d_ in b.values()] + [q['periodSeconds'] for d_ in b.values() for q in d_['policies']] if b else [])) * SEC // truth.sync + 4
        size = truth.size
        for now, before, rec, after in truth.play(m['next'], 5000, truth.asks(spec), first=truth.s):
            quiet = quiet + 1 if after == before else 0
            if after != before: steps.append((now, after))
            size = after
            if quiet > longest: return size, steps, rec
        return None, steps, None
    truth.whole = True
    size, steps, rec = end(True)
    truth.whole = False
    size2, steps2, _ = end(False) if not all_count else (size, steps, None)
    truth.whole = True
    kind = 'rests at' + ('' if all_count else ', pods set aside')
    told = 'said %s %s via %s; true %s via %s' % (said['end'], said.get('replicas') or said.get('possible'), [s['replicas'] for s in said['steps']], size, [n for _, n in steps])
    if size is None: tally.hold(kind, said['end'] == 'cycle', m, told); return
    if said.get('replicas') is None:
        if said.get('possible') is None: tally(kind, 'withheld'); return
        tally.hold(kind + ', as a range', inside(said['possible'], size), m, told); return
    ok = said['end'] != 'cycle' and said['replicas'] == size
    if ok and not all_count and size != size2: kind += ' (whole load)'
    tally.hold(kind, ok, m, told + ('' if all_count else ' (counted load only: %s)' % size2))
    if ok and said.get('value') is not None:
        counted, _ = truth.counts()
        x = truth.at_size(said['replicas'], spec, counted)
        if x: tally.hold(kind + ': value', said['value'] == measured(x, spec, said['metric']), m, '%s, true %s' % (said, measured(x, spec, said['metric'])))
    if ok and said.get('withoutMax') is not None:
        ask = truth.asks(spec); n = said['withoutMax']
        tally.hold(kind + ': without max', ask(n) == n, m, '%s, at that size %s are asked for' % (said, ask(n)))
    if ok and said['end'] == 'at-max': tally.hold(kind + ': more is asked for', rec > spec['maxReplicas'] and size == spec['maxReplicas'], m, told)
    at = said['steps'] and said['steps'][-1].get('at')
    if ok and at and steps:
        # The passes are taken to come at the period's pace, with a phase that is not known.
        tally.hold(kind + ': when', abs(ts(at) - steps[-1][0]) <= truth.sync, m, told + ' said %s true %s' % (at, iso(steps[-1][0])))
    if ok and said.get('metric') is not None and (said.get('holdsFrom') is not None or said.get('holdsTo') is not None): kept_range(tally, m, said, truth, spec)


def amount(x, spec, index, total):
    """The inputs with another sum over the pods that count of one metric."""
    x = copy.deepcopy(x); mt = spec['metrics'][index]
    p = Pass(x); p.run()
    aside = set()
    G = p.results[index]['G']
    for g in ('unreadyPods', 'missingPods', 'ignoredPods'): aside |= set(G.get(g, []))
    if mt['type'] == 'External': x['metrics']['external'][0]['response']['items'][0]['value'] = '%dm' % total; return x
    if mt['type'] == 'Object':
        for c in x['metrics']['custom']:
            if c['metric'] == 'hits': c['response']['items'][0]['value'] = '%dm' % total
        return x
    if mt['type'] == 'Pods':
        items = [i for c in x['metrics']['custom'] if c['metric'] == 'rps' for i in c['response']['items'] if i['describedObject']['name'] not in aside]
        for i, it in enumerate(items): it['value'] = '%dm' % (total // len(items) + (1 if i < total % len(items) else 0))
        return x
    src = mt.get('resource') or mt['containerResource']
    items = [i for i in x['metrics']['resource']['response']['items'] if i['metadata']['name'] not in aside]
    for i, it in enumerate(items):
        mine = [c for c in it['containers'] if src.get('container') in (None, c['name'])]
        for c in mine: c['usage'][src['name']] = '0'
        mine[0]['usage'][src['name']] = '%dm' % (total // len(items) + (1 if i < total % len(items) else 0))
    return x


def proposes(x, index):
    p = Pass(x); p.run(); r = p.results[index]
    if r['err']: return None, None
    c = next(v for k, v in r['st'].items() if k != 'type')['current']
    shown = c['averageUtilization'] if 'averageUtilization' in c else None
    return r['n'], shown


def measured(x, spec, index):
    """What a metric is measured at, in the unit of its break-points."""
    mt = spec['metrics'][index]; p = Pass(x); p.run(); r = p.results[index]
    # An External average below 0 is the largest number there is.
    if mt['type'] == 'External': value = milli(x['metrics']['external'][0]['response']['items'][0]['value']); return (1 << 63) - 1 if value < 0 and p.minor >= 34 and 'averageValue' in mt['external']['target'] else value
    if mt['type'] == 'Object': return next(milli(c['response']['items'][0]['value']) for c in x['metrics']['custom'] if c['metric'] == 'hits')
    c = next(v for k, v in r['st'].items() if k != 'type')['current']
    return c['averageUtilization'] if 'averageUtilization' in c else milli(c['averageValue'])


def joined(s, metric, pod, G):
    """The inputs with a sample of a pod like those that count, on average."""
    x = copy.deepcopy(s); named = lambda it: it.get('metadata', it.get('describedObject'))['name']
    counted = {named(it) for it in x['pods']} - {n for g in ('unreadyPods', 'missingPods', 'ignoredPods') for n in G[g]}
    src = metric.get('resource') or metric.get('containerResource')
    items = (x['metrics']['resource'] if src else next(c for c in x['metrics']['custom'] if c['metric'] == 'rps'))['response']['items']
    like = [it for it in items if named(it) in counted]; own = copy.deepcopy(like[0])
    next(it for it in x['pods'] if named(it) == pod)['status'] = next(it for it in x['pods'] if named(it) == named(own))['status']
    items[:] = [it for it in items if named(it) != pod] + [own]
    if not src: own['describedObject']['name'] = pod; own['value'] = '%dm' % (sum(milli(it['value']) for it in like) // len(like)); return x
    own['metadata']['name'] = pod; name = src['name']; mine = lambda it: [c for c in it['containers'] if src.get('container') in (None, c['name'])]
    average = sum(milli(c['usage'][name]) for it in like for c in mine(it)) // len(like)
    for c in mine(own): c['usage'][name] = '0'
    mine(own)[0]['usage'][name] = '%dm' % average
    return x


def counterfactuals(tally, m, d, truth):
    spec = truth.s['horizontalPodAutoscaler']['spec']; cur = truth.size
    for c in d['trace'].get('prospects', {}).get('counterfactuals', []):
        what = c['premise']['what']; i = c['premise'].get('metric')
        if what == 'averageInPlaceOfValue':
            new = copy.deepcopy(spec); t = next(v for k, v in new['metrics'][i].items() if k != 'type')['target']; t.update(type='AverageValue', averageValue=t.pop('value'))
            _, p = truth.as_it_is(spec=new)
        elif what == 'allCount':
            G = truth.as_it_is()[1].results[c['metric']]['G']; names = {x['metadata']['name'] for x in truth.s['pods']}
            truth.whole = False
            x = truth.at_size(len(names), spec, names - {n for g in ('unreadyPods', 'missingPods', 'ignoredPods') for n in G[g]}, True); truth.whole = True
            x['scale'] = truth.s['scale']; p = Pass(x); p.run()
            # It is about the pods of the metric that decides; the others stay as they are.
            _, now = truth.as_it_is(); mine = p.results[c['metric']]
            others = [r['n'] for k, r in enumerate(now.results) if k != c['metric'] and not r['err']]
            if c.get('proposal') is not None: tally.hold('what if: allCount, proposal', c['proposal'] == mine['n'], m, '%s: true %s' % (c, mine['n'])); p.recommendation = max([mine['n']] + others)
        elif what == 'oneCounts':
            _, now = truth.as_it_is(); k = c['metric']
            p = Pass(joined(truth.s, spec['metrics'][k], c['premise']['pod'], now.results[k]['G'])); p.run()
            p.recommendation = max([p.results[k]['n']] + [r['n'] for q, r in enumerate(now.results) if q != k and not r['err']])
            tally.hold('what if: oneCounts, proposal', c['proposal'] == p.results[k]['n'], m, '%s: true %s' % (c, p.results[k]['n']))
        else: tally('what if: ' + what, 'not computed'); continue
        tally.hold('what if: ' + what, (-1 if c['recommendation'] is None else c['recommendation']) == getattr(p, 'recommendation', -1), m, '%s: true %s' % (c, getattr(p, 'recommendation', -1)))


def break_points(tally, m, d, truth):
    tr = d['trace']
    spec = truth.s['horizontalPodAutoscaler']['spec']; cur = truth.size
    for b in tr.get('prospects', {}).get('breakPoints', []):
        i = b['metric']; now = tr['metrics'][i]['measured']['total'] if tr['metrics'][i].get('measured') else None
        for way, sign in (('up', 1), ('down', -1)):
            q = b[way]
            n0, _ = proposes(truth.s, i)
            if q is None:
                # A metric that asks for it already, or no amount does.
                probe = [now * 2 + 10, now * 50 + 1000] if sign > 0 else [0, now // 2, now // 10]
                if (n0 - cur) * sign > 0: continue
                ok = all((proposes(amount(truth.s, spec, i, t), i)[0] - cur) * sign <= 0 for t in probe)
                tally.hold('break-point: none', ok, m, '%s %s' % (way, b)); continue
            n, shown = proposes(amount(truth.s, spec, i, q['total']), i)
            before, shown_before = proposes(amount(truth.s, spec, i, q['total'] - sign), i)
            ok = n == q['replicas'] and (n - cur) * sign > 0 and (before - cur) * sign <= 0
            if shown is not None: ok = ok and shown == q['value'] and shown_before == q['last']
            between = [now + (q['total'] - now) * k // 7 for k in range(7)]
            ok = ok and all((proposes(amount(truth.s, spec, i, t), i)[0] - cur) * sign <= 0 for t in between if t != q['total'])
            tally.hold('break-point', ok, m, '%s %s: at it %s (%s), before %s (%s), from %d' % (way, q, n, shown, before, shown_before, cur))


def kept_range(tally, m, said, truth, spec):
    """The values between which a metric goes on asking for the size it rests at."""
    i = said['metric']; n = said['replicas']
    counted, _ = truth.counts()
    truth.whole = True
    x = truth.at_size(n, spec, counted)
    mt = spec['metrics'][i]
    cur = n
    src = mt.get('resource') or mt.get('containerResource')
    def ask(value):
        if mt['type'] in ('External', 'Object'): total = value
        elif src and 'averageUtilization' in src['target']:
            req = 500 if mt['type'] == 'ContainerResource' or not any(len(p['spec']['containers']) > 1 for p in x['pods']) else 600
            if src['name'] == 'memory': req = (512 if req == 500 else 640) * MiB * 1000
            total = -(-value * req * n // 100)
        else: total = value * n
        return proposes(amount(x, spec, i, total), i)[0]
    lo, hi = said.get('holdsFrom'), said.get('holdsTo')
    for v in (lo, hi):
        if v is not None: tally.hold('kept range', ask(v) == cur, m, 'at %s of %s..%s asks %s, not %s' % (v, lo, hi, ask(v), cur))
    for v, out in ((lo, -1), (hi, 1)):
        if v is not None and v + out >= 0: tally.hold('kept range: outside', (ask(v + out) - cur) * out > 0, m, 'beyond %s of %s..%s asks %s' % (v, lo, hi, ask(v + out)))


def merge(a, b):
    for k, v in b.items():
        if v is None: a.pop(k, None)
        elif isinstance(v, dict): a[k] = merge(a.get(k) or {}, v)
        else: a[k] = v
    return a


def patched(spec, command):
    words = shlex.split(command); patch = json.loads(words[words.index('-p') + 1]); spec = copy.deepcopy(spec)
    if isinstance(patch, dict): return default(merge({'spec': spec}, patch)['spec'])
    default(spec)
    for op in patch:
        at = {'spec': spec}; *path, last = op['path'].strip('/').split('/')
        for w in path: at = at[int(w)] if isinstance(at, list) else at.setdefault(w, {})
        at[int(last) if isinstance(at, list) else last] = op['value']
    return default(spec)


def attempts(tally, m, d, truth, o):
    spec = truth.s['horizontalPodAutoscaler']['spec']
    for a in d['trace'].get('prospects', {}).get('attempts', []):
        try: new = patched(spec, a['command'])
        except (KeyError, IndexError) as e: tally('try', 'wrong', m, '%s: %r' % (a, e)); continue
        way = 1 if a['replicas'] > truth.size else -1
        # At once, at the next pass that there is, and whenever it is said to be: nothing short of it, and just that once at least.
        soon = d['trace']['outlook']['nextPass']
        got = {t: truth.as_it_is(now=t, spec=new)[0]['desiredReplicas'] for t in (m['now'], m['next'], ts(soon['earliest']), ts(soon['latest']))}
        told = '%s: now %s -> %s' % (a, o['desiredReplicas'], got)
        tally.hold('try ' + a['limit'], a['replicas'] in got.values(), m, told)
        tally.hold('try %s, at the next pass' % a['limit'], (got[m['next']] - a['replicas']) * way >= 0, m, told)


def coming(tally, m, doc, truth, specs):
    if not truth.readable: return
    counted, all_count = truth.counts()
    truth.whole = True
    sides = [(doc['current'], specs[0])] + [(s, sp) for s, sp in zip(doc['candidates'], specs[1:])]
    for side, spec in sides:
        c = side.get('coming')
        if c is None: tally('dry-run --for', 'withheld'); continue
        if c.get('stopped'): tally('dry-run --for', 'withheld')
        real = list(truth.play(m['now'], len(c['passes']), truth.asks(spec), spec, first=truth.s, late=0))
        bad = next(((x, r) for x, r in zip(c['passes'], real) if not inside(x['replicas'], r[3]) or ts(x['at']) // SEC != r[0] // SEC), None)
        kind = 'dry-run --for' + ('' if all_count else ', pods set aside')
        tally.hold(kind, bad is None, m, bad and '%s: said %s true %d -> %d, asks %s; spec %s' % (side.get('name'), bad[0], bad[1][1], bad[1][3], bad[1][2], json.dumps(spec.get('behavior'))))
        tally.n[kind]['passes'] += len(real); tally.n[kind]['passes exact'] += sum(x['replicas']['from'] == x['replicas']['to'] for x in c['passes'])
        if bad is None and not c.get('stopped') and real:
            ch = [r for r in real if r[3] != r[1]]; turns = sum((a[3] > a[1]) != (b[3] > b[1]) for a, b in zip(ch, ch[1:]))
            tally.hold('dry-run --for: changes', inside(c['changes'], len(ch)), m, 'said %s true %d' % (c['changes'], len(ch)))
            tally.hold('dry-run --for: reversals', inside(c['reversals'], turns), m, 'said %s true %d' % (c['reversals'], turns))
            held = [r[3] for r in real[:-1]] or [real[0][3]]; avg = sum(held) / len(held); a = c['averageReplicas']
            tally.hold('dry-run --for: average', a['from'] - 1e-6 <= avg <= a['to'] + 1e-6, m, 'said %s true %s' % (a, avg))


EDITS = [
    (['spec.behavior=null'], lambda s: s.pop('behavior', None)),
    (['spec.behavior.scaleDown.stabilizationWindowSeconds=0'], lambda s: merge(s, {'behavior': {'scaleDown': {'stabilizationWindowSeconds': 0}}})),
    (['spec.behavior.scaleDown.stabilizationWindowSeconds=600'], lambda s: merge(s, {'behavior': {'scaleDown': {'stabilizationWindowSeconds': 600}}})),
    (['spec.behavior.scaleUp.stabilizationWindowSeconds=120'], lambda s: merge(s, {'behavior': {'scaleUp': {'stabilizationWindowSeconds': 120}}})),
    (['spec.maxReplicas=100'], lambda s: s.update(maxReplicas=100)),
    (['spec.behavior.scaleUp.selectPolicy=Min'], lambda s: merge(s, {'behavior': {'scaleUp': {'selectPolicy': 'Min'}}})),
]


def edit_of(m):
    args, edit = random.Random(m['seed'] * 1000 + m['k']).choice(EDITS)
    spec = m['truth']['horizontalPodAutoscaler']['spec']; new = copy.deepcopy(spec); edit(new)
    return [x for a in args for x in ('--set', a)], spec, default(new)


def stored(m, d):
    """A moment with what is true of it, for a test that does not need this model."""
    truth = Truth(m); o, p = truth.as_it_is(); args, spec, new = edit_of(m); cur = truth.size
    rec = getattr(p, 'recommendation', -1)
    steps = {}
    for way, sign, far in (('up', 1, spec['maxReplicas']), ('down', -1, spec['minReplicas'])) if rec != -1 else ():
        ask = rec if (rec - cur) * sign > 0 else far
        moved = next(((now, after) for now, before, _, after in truth.play(m['next'], 150, lambda n: ask) if after != before), None)
        if moved is None: steps[way] = {'asked': (rec - cur) * sign > 0, 'never': True}
        elif (moved[1] - cur) * sign > 0: steps[way] = {'asked': (rec - cur) * sign > 0, 'at': iso(moved[0], True), 'to': moved[1]}
    rests = None
    if rec != -1:
        sizes = [cur] + [after for *_, after in truth.play(m['next'], 3000, truth.asks(spec), first=truth.s)]
        rests = sizes[-1] if len(set(sizes[-300:])) == 1 else 'cycle'
    sides = [[after for *_, after in truth.play(m['now'], 600 * SEC // truth.sync + 1, truth.asks(sp), sp, first=truth.s, late=0)] for sp in (spec, new)]
    t = d['trace']; ahead = t.get('prospects', {})
    return {'world': '%d-%d' % (m['seed'], m['k']), 'snapshot': m['snapshot'], 'edit': args, 'decision': o['scaleTo'] if o.get('rescale') else cur, 'nextPass': iso(m['next'], True), 'steps': steps, 'restsAt': rests, 'sides': sides,
            'breakPoints': ahead.get('breakPoints', []), 'attempts': ahead.get('attempts', []), 'findings': [[f['code'], re.findall(r'\d+', f['message'])] for f in t.get('findings', []) if f['code'] in findings.RULES]}


def store(binary, wanted, path):
    with tempfile.TemporaryDirectory() as scratch, gzip.GzipFile(path, 'wb', 9, mtime=0) as out:
        for seed in sorted({s for s, _ in wanted}):
            for m in moments(seed):
                if not ((seed, m['k']) in wanted or (seed, None) in wanted and m['k'] > 0): continue
                one = os.path.join(scratch, 'one.json'); json.dump(m['snapshot'], open(one, 'w'))
                d = json.loads(run(binary, ['--snapshot', one, '-o', 'json'])); tally = Tally(None)
                check(tally, m, d, binary, scratch)
                if tally.wrong: print('left out, for it is wrong:', *tally.wrong[0]); continue
                out.write((json.dumps(stored(m, d)) + '\n').encode()); print('stored', seed, m['k'])
                if (seed, None) in wanted: break


def run(binary, args, text=None):
    p = subprocess.run([binary] + args, capture_output=True, text=True, timeout=600)
    if not p.stdout: raise SystemExit('%s %s: %s' % (binary, ' '.join(args), p.stderr))
    return p.stdout


def check(tally, m, d, binary, scratch, for_=True):
    truth = Truth(m)
    o, p = decision(tally, m, d, truth)
    next_steps(tally, m, d, truth, o, p)
    settles(tally, m, d, truth)
    if truth.readable:
        break_points(tally, m, d, truth)
        attempts(tally, m, d, truth, o)
        counterfactuals(tally, m, d, truth)
    findings.check(tally, m, d, truth, o, p)
    if not for_ or not truth.readable: return
    args, spec, new = edit_of(m)
    path = os.path.join(scratch, 'one.json'); json.dump(m['snapshot'], open(path, 'w'))
    doc = json.loads(run(binary, ['dry-run', 'web', '--snapshot', path, '--for', '10m', '-o', 'json'] + args))
    coming(tally, m, doc, truth, [spec, new])


def main():
    a = argparse.ArgumentParser(); a.add_argument('binary'); a.add_argument('--worlds', type=int, default=500); a.add_argument('--first', type=int, default=1); a.add_argument('--keep'); a.add_argument('--quick', action='store_true')
    a.add_argument('--store', metavar='FILE', help='write moments with what is true of them there'); a.add_argument('--moments', default='', help='SEED or SEED-K, with commas')
    a = a.parse_args()
    if a.store: return store(a.binary, [(int(x.split('-')[0]), int(x.split('-')[1]) if '-' in x else None) for x in a.moments.split(',')], a.store)
    tally = Tally(a.keep)
    with tempfile.TemporaryDirectory() as scratch:
        for first in range(a.first, a.first + a.worlds, 20):
            ms = [m for seed in range(first, min(first + 20, a.first + a.worlds)) for m in moments(seed)]
            path = os.path.join(scratch, 'all.jsonl')
            with open(path, 'w') as f:
                for m in ms: f.write(json.dumps(m['snapshot']) + '\n')
            print('seeds from', first, file=sys.stderr, flush=True)
            docs = [json.loads(l) for l in run(a.binary, ['--snapshot', path, '-o', 'json']).splitlines()]
            assert len(docs) == len(ms), (len(docs), len(ms))
            for m, d in zip(ms, docs):
                before = len(tally.wrong)
                check(tally, m, d, a.binary, scratch, not a.quick)
                if a.keep and len(tally.wrong) > before:
                    os.makedirs(a.keep, exist_ok=True)
                    json.dump(m['snapshot'], open(os.path.join(a.keep, '%d-%d.json' % (m['seed'], m['k'])), 'w'))
    for w in tally.wrong: print('wrong:', *w)
    for w in tally.other[:20]: print('not parsed:', *w)
    print('worlds', a.worlds)
    for kind in sorted(tally.n): print('%-44s' % kind, ', '.join('%s %d' % x for x in sorted(tally.n[kind].items())))
    wrong = sum(c['wrong'] for c in tally.n.values()); print('held %d, wrong %d' % (sum(c['held'] for c in tally.n.values()), wrong))
    return 1 if wrong else 0


if __name__ == '__main__': sys.exit(main())
