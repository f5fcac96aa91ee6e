"""The numbers of findings, computed anew from the inputs and from what the
controller really remembers. A code without an entry in RULES has no number
that the worlds of sweep.py can check; it is counted as such if its text has a
number all the same."""
import copy, math, re
from hpa import Pass, SEC, ts, milli, qparse
from world import DEF_DN, DEF_UP

NUM = r'(-?[\d.]+)'
ASKS = r'(?:the metrics ask|.+ asks) for (-?\d+)'
UNITS = {'': 1000, 'm': 1, 'k': 10**6, 'M': 10**9, 'Ki': 1024 * 1000, 'Mi': 1024**2 * 1000, 'Gi': 1024**3 * 1000}


def seconds(text):
    return sum(int(n) * {'d': 86400, 'h': 3600, 'm': 60, 's': 1}[u] for n, u in re.findall(r'(\d+)([dhms])', text))


def near(said, true, slack=1.0):
    """An age or a wait: whole seconds, cut off or rounded."""
    return abs(seconds(said) - true / SEC) <= slack


def same(said, true):
    """An amount as it is shown, with its unit, of one in thousandths."""
    m = re.fullmatch(r'(-?\d+)(?:\.(\d+))?([A-Za-z]*)', said)
    unit = UNITS[m.group(3)]; digits = len(m.group(2) or '')
    return abs(float(m.group(1) + '.' + (m.group(2) or '0')) * unit - true) <= unit / 10 ** digits


class Found:
    """What the rules look at."""
    def __init__(s, m, d, truth, o, p):
        s.m, s.truth, s.o, s.p = m, truth, o, p
        s.spec = truth.s['horizontalPodAutoscaler']['spec']; s.now = m['now']; s.size = truth.size
        s.rec = getattr(p, 'recommendation', -1)
        s.trace = d['trace']; s.remedies = []; s.sync = truth.s['controller']['syncPeriodSeconds']
        s.pods = truth.s['pods']
        s.proposals = [None if r['err'] else r['n'] for r in p.results]
        s.behavior = s.spec.get('behavior')
        s.records = m['memory']
    def metrics(s, name):
        """The places of the metrics of a name, as findings have it."""
        return [i for i, x in enumerate(s.spec['metrics']) if s.name(x) == name]
    def name(s, x):
        if x['type'] == 'Resource': return x['resource']['name']
        if x['type'] == 'ContainerResource': return '%s of container %s' % (x['containerResource']['name'], x['containerResource']['container'])
        if x['type'] == 'Object': return '%s of %s/%s' % (x['object']['metric']['name'], x['object']['describedObject']['kind'], x['object']['describedObject']['name'])
        return x[x['type'].lower()]['metric']['name']
    def find(s, name, goal=None):
        """The first metric of a name, of those with this target."""
        exact = [i for i in s.metrics(name) if goal is None or s.amount(goal, i, s.goal(i))]
        return (exact or [i for i, x in enumerate(s.spec['metrics']) if s.name(x).startswith(name + ' of ')])[0]
    def winner(s): return max(range(len(s.proposals)), key=lambda i: -1 if s.proposals[i] is None else s.proposals[i])
    def current(s, i): return next(v for k, v in s.p.results[i]['st'].items() if k != 'type')['current']
    def target(s, i):
        x = s.spec['metrics'][i]
        return next(v for k, v in x.items() if k != 'type')['target']
    def shown(s, i):
        """What a metric is measured at: percent, or an amount in thousandths."""
        x = s.spec['metrics'][i]; c = s.current(i)
        if 'averageUtilization' in c: return c['averageUtilization']
        if x['type'] in ('External', 'Object'): return s.value(i)
        return milli(c.get('averageValue') or c.get('value'))
    def value(s, i):
        x = s.spec['metrics'][i]; m = s.truth.s['metrics']
        if x['type'] == 'External': return milli(m['external'][0]['response']['items'][0]['value'])
        return next(milli(c['response']['items'][0]['value']) for c in m['custom'] if c['metric'] == 'hits')
    def series(s, i):
        """All that an External or Object metric's API answers."""
        x = s.spec['metrics'][i]; m = s.truth.s['metrics']
        answer = m['external'][0] if x['type'] == 'External' else next(c for c in m['custom'] if c['metric'] == 'hits')
        return [milli(it['value']) for it in answer['response']['items']]
    def usage(s, i):
        """What each pod with a sample uses of what a metric measures."""
        x = s.spec['metrics'][i]; m = s.truth.s['metrics']
        if x['type'] == 'Pods': return {it['describedObject']['name']: milli(it['value']) for c in m['custom'] if c['metric'] == 'rps' for it in c['response']['items']}
        src = x.get('resource') or x['containerResource']
        return {it['metadata']['name']: sum(milli(c['usage'][src['name']]) for c in it['containers'] if src.get('container') in (None, c['name'])) for it in m['resource']['response']['items']}
    def counted(s, i):
        G = s.p.results[i]['G']
        return {x['metadata']['name'] for x in s.pods} - {n for g in ('unreadyPods', 'missingPods', 'ignoredPods') for n in G.get(g, [])}
    def edge(s, i, way):
        """A break-point; that it is one, the sweep checks by itself."""
        return next(b[way] for b in s.trace['prospects']['breakPoints'] if b['metric'] == i)
    def policy(s, side, text):
        """A policy as findings name it, its start, and how far it lets go."""
        kind, value, seconds_ = re.fullmatch(r'(\w+) (\d+) per (\S+)', text).groups()
        q = {'type': kind, 'value': int(value), 'periodSeconds': seconds(seconds_)}
        assert q in s.behavior[side]['policies'], text
        start = s.size - s.added(q['periodSeconds']) + s.removed(q['periodSeconds'])
        return q, start, abs(s.limit(side, q) - start)
    def added(s, period): return sum(n for n, at, _ in s.records[1] if at > s.now - period * SEC)
    def removed(s, period): return sum(n for n, at, _ in s.records[2] if at > s.now - period * SEC)
    def limit(s, side, q):
        rules = dict(s.behavior[side], policies=[q], selectPolicy='Max'); p = s.truth.start(Pass(dict(s.truth.s)))
        return p.lim_up(rules, s.size) if side == 'scaleUp' else p.lim_down(rules, s.size)
    def goal(s, i):
        t = s.target(i)
        return t.get('averageUtilization') or milli(t.get('averageValue') or t.get('value'))
    def amount(s, text, i, true):
        if text.endswith('%'): return abs(float(text[:-1]) - true) < 1
        return same(text, true)
    def group(s, *names): return max((len(set().union(*(set(r['G'].get(n, [])) for n in names))) for r in s.p.results), default=0)
    def with_metrics(s, metrics):
        spec = dict(s.spec, metrics=metrics); return s.truth.as_it_is(spec=spec)
    def points(s): return {(way, str(b[way]['replicas'])) for b in s.trace['prospects']['breakPoints'] for way in ('up', 'down') if b[way]}
    def window_end(s, up, result):
        """When the window's result is another, if the metrics go on asking for what they ask for."""
        # A controller that has just started begins with the size that there is.
        p = s.p; recs = s.records[0] or [[s.size, s.now]]
        rules = (s.behavior or {}).get('scaleUp' if up else 'scaleDown') or {}
        w = rules.get('stabilizationWindowSeconds')
        if w is None: w = 0 if up else p.down_stab
        pick = min if up else max
        for t in sorted({s.now} | {r[1] + w * SEC + d for r in recs for d in (0, 1)}):
            if t < s.now: continue
            inside = [r for r, at in recs if (at > t - w * SEC if s.behavior else at >= t - w * SEC)] + [s.rec]
            v = pick(inside)
            v = min(max(v, s.size), max(v, s.rec)) if up else v
            if (v > result if up else v < result): return t
        return None


RULES = {}
def rule(code, pattern):
    def take(f): RULES.setdefault(code, []).append((re.compile(pattern), f)); return f
    return take


@rule('target-in-units', r'the target of (.+), (\d+)% of the request (\S+)(?: cpu)?, is (\S+)(?: cpu)? per pod')
def _(s, f, name, pct, request, unit):
    i = s.find(name, pct + '%'); r = milli(request); res = s.spec['metrics'][i].get('resource') or s.spec['metrics'][i]['containerResource']
    reqs = {sum(milli(c['resources']['requests'][res['name']]) for c in x['spec']['containers'] if res.get('container') in (None, c['name'])) for x in s.pods}
    yield 'request', reqs == {r}
    yield 'per pod', same(unit, r * int(pct) / 100)
    yield 'target', int(pct) == s.goal(i)
    for about, says in f:
        g = re.fullmatch(r'measured (\S+)(?: cpu)? per pod, (\d+)%', says)
        if g: c = s.current(i); yield 'measured', same(g[1], milli(c['averageValue'])) and int(g[2]) == c['averageUtilization']


@rule('at-max', r'the size (?:is at|goes to) maxReplicas (\d+), but ' + ASKS + r', (\d+) more')
def _(s, f, mx, n, more):
    yield 'maxReplicas', int(mx) == s.spec['maxReplicas']
    yield 'asks for', int(n) == s.rec
    yield 'more', int(more) == s.rec - int(mx)


@rule('at-max-exactly', r'the size is at maxReplicas (\d+), exactly what')
def _(s, f, mx): yield 'maxReplicas', int(mx) == s.spec['maxReplicas'] == s.rec


@rule('at-min', r'the size is at minReplicas (\d+), and ' + ASKS + ': the target is idle')
def _(s, f, mn, n): yield 'minReplicas', int(mn) == s.spec['minReplicas']; yield 'asks for', int(n) == s.rec


@rule('within-tolerance', r'(.+) is at (\S+), target (\S+): ratio ' + NUM + r' is inside the tolerance ' + NUM + r'\.\.' + NUM)
def _(s, f, name, at, goal, ratio, lo, hi):
    i = s.winner(); t = s.target(i)
    average = s.spec['metrics'][i]['type'] in ('External', 'Object') and 'averageValue' in t
    shown = s.value(i) if average else s.shown(i)
    pods = len(s.pods)
    one = shown / pods if average else shown
    yield 'measured', s.amount(at, i, shown) or s.amount(at, i, one)
    yield 'target', s.amount(goal, i, s.goal(i))
    yield 'ratio', abs(float(ratio) - one / s.goal(i)) <= .011
    yield 'tolerance', abs(float(lo) - (1 - s.p.tol_down)) < .0051 and abs(float(hi) - (1 + s.p.tol_up)) < .0051
    yield from edges(s, f)


def edges(s, f):
    for about, says in f:
        g = re.fullmatch(r'asks for (\d+)', says)
        if g and re.fullmatch(r'at \S+ or (more|less)', about): yield 'edge', ('up' if about.endswith('more') else 'down', g[1]) in s.points()


@rule('rounded-up', r'(.+) asks for ceil\(' + NUM + r'(?: × (\d+)| / ' + NUM + r')\) = (\d+)')
def _(s, f, name, a, times, over, n):
    yield 'asks for', int(n) == s.proposals[s.winner()]
    yield 'formula', math.ceil(round(float(a) * int(times) if times else float(a) / float(over), 9)) == int(n)
    yield from edges(s, f)


@rule('value-for-average', r'(.+) is at (\S+), and its target (\S+) has type Value: (?:.*goes to|at) maxReplicas (\d+)(?: it still asks for (\d+))?(?:; an AverageValue asks for (\d+))?')
def _(s, f, name, at, goal, mx, asks, n):
    i = s.find(name, goal)
    yield 'measured', same(at, s.value(i)); yield 'target', same(goal, s.goal(i)); yield 'maxReplicas', int(mx) == s.spec['maxReplicas']
    if asks: yield 'asks', int(asks) == s.p.results[i]['n']
    if n:
        m = copy.deepcopy(s.spec['metrics'][i]); t = next(v for k, v in m.items() if k != 'type')['target']
        t.update(type='AverageValue', averageValue=t.pop('value'))
        _, p = s.with_metrics([m]); yield 'AverageValue', int(n) == p.results[0]['n']


@rule('window-holds', r'the (scaleUp|scaleDown) window of (\S+) (keeps the size at|allows) (\d+)(?: for (\S+)(?: to (\S+))?( more| at most))?; ' + ASKS)
def _(s, f, side, window, verb, n, a, b, kind, asks):
    up = side == 'scaleUp'; w = ((s.behavior or {}).get(side) or {}).get('stabilizationWindowSeconds')
    yield 'window', seconds(window) == (s.p.down_stab if w is None and not up else w or 0)
    yield 'asks for', int(asks) == s.rec
    yield 'holds', int(n) == s.size or verb == 'allows'
    end = s.window_end(up, int(n))
    if a and end is not None:
        wait = (end - s.now) / SEC
        if kind == ' at most': yield 'wait', wait <= seconds(a) + 1
        elif b: yield 'wait', seconds(a) - 1 <= wait <= seconds(b) + 1
        else: yield 'wait', abs(wait - seconds(a)) <= 1
    for about, says in f:
        g = re.fullmatch(r'(\d+), (\S+) ago', says)
        if g: yield 'counts', any(r == int(g[1]) and near(g[2], s.now - at) for r, at in s.records[0])


@rule('policy-limits', r'(scaleUp|scaleDown) (?:policies allow|policy \S+ \d+ per \S+ allows) (?:at most|no less than) (\d+) for now; ' + ASKS)
def _(s, f, side, n, asks):
    yield 'asks for', int(asks) == s.rec; yield 'allows', int(n) == s.o['desiredReplicas']
    for about, says in f:
        g = re.fullmatch(r'spec\.behavior\.\w+\.policies\[(\d+)\]', about)
        if g:
            true = s.limit(side, s.behavior[side]['policies'][int(g[1])])
            yield 'policy %s' % g[1], int(re.search(r'= (-?\d+)', says)[1]) == true if '= ' in says else True
        g = re.fullmatch(r'in (\S+), when earlier changes leave its period', says)
        if g:
            ends = [e[1] + q['periodSeconds'] * SEC - s.now for e in s.records[1] + s.records[2] for q in s.behavior[side]['policies'] if e[1] + q['periodSeconds'] * SEC > s.now]
            yield 'leaves', any(near(g[1], e) for e in ends)


@rule('policy-limits', r'without behavior, one pass goes at most to twice the size or to 4, whichever is larger: (\d+) for now; ' + ASKS)
def _(s, f, n, asks): yield 'asks for', int(asks) == s.rec; yield 'allows', int(n) == s.o['desiredReplicas'] == max(2 * s.size, 4)


@rule('behavior-disabled', r'(\w+)\.selectPolicy Disabled keeps the size at (\d+); ' + ASKS)
def _(s, f, side, n, asks): yield 'keeps', int(n) == s.size; yield 'asks for', int(asks) == s.rec


@rule('replicas-writer', r'.+ set the size of \S+ from (\d+) to (\d+)(?:, (\S+) ago)?')
def _(s, f, a, b, ago):
    true = [t for what, t in s.m['log'] if what == 'scale %s->%s' % (a, b)]
    yield 'change', bool(true)
    if ago and true: yield 'ago', any(near(ago, s.now - ts(t), 3) for t in true)


@rule('replicas-writer', r'.+ set the size of \S+ (?:at least )?(\d+) times in (\S+), (?:the )?last (?:one on record )?(\S+) ago')
def _(s, f, n, span, last):
    true = sorted(ts(t) for what, t in s.m['log'] for g in [re.fullmatch(r'scale (\d+)->(\d+)', what)] if g and g[1] != g[2])
    inside = [t for t in true if t >= s.now - (seconds(span) + seconds(last) + 3) * SEC]
    yield 'times', int(n) <= len(inside); yield 'last', any(near(last, s.now - t, 3) for t in true)


@rule('replicas-writer', r'.+ set the size of \S+ (\d+) times, about every (\S+), last (\S+) ago')
def _(s, f, n, period, last):
    true = sorted(ts(t) for what, t in s.m['log'] for g in [re.fullmatch(r'scale (\d+)->(\d+)', what)] if g and g[1] != g[2])
    yield 'times', int(n) <= len(true); yield 'last', any(near(last, s.now - t, 3) for t in true)
    yield 'every', len(true) > 1 and near(period, (true[-1] - true[-int(n)]) / (int(n) - 1), seconds(period) / 5)


@rule('controller-restarted', r'the controller has just started and keeps (\d+) as')
def _(s, f, n): yield 'holds', int(n) == s.size and not s.records[0]


@rule('controller-restarted', r'the controller probably restarted: .+, (\S+) ago, so')
def _(s, f, t): yield 'restarted', any(what == 'restart' and ts(at) <= s.now - (seconds(t) - 2) * SEC for what, at in s.m['log'])


@rule('controller-restarted', r'kube-controller-manager became the leader (\S+) ago')
def _(s, f, t): yield 'leads', near(t, s.now - ts(s.truth.s['controllerLease']['spec']['acquireTime']))


@rule('all-metrics-fail', r'(?:the only metric fails|both metrics fail|all (\d+) metrics fail), so the size stays at (\d+)')
def _(s, f, k, n):
    yield 'fail', all(x is None for x in s.proposals) and (k is None or int(k) == len(s.proposals)); yield 'stays', int(n) == s.size
    for about, says in f:
        if about == 'spec.minReplicas': yield 'minReplicas', int(says.split(';')[0]) == s.spec['minReplicas']


@rule('metric-fails', r'(\d+) of (\d+) metrics fails? ')
def _(s, f, k, n):
    yield 'fail', int(k) == sum(x is None for x in s.proposals) and int(n) == len(s.proposals)
    for about, says in f:
        g = re.fullmatch(r'asks for (\d+)', says)
        if g: yield 'asks for', int(g[1]) == s.proposals[s.find(about)]


@rule('scale-down-blocked', r'.+ blocks? the scale-down to (\d+) that')
def _(s, f, n):
    best = max(x for x in s.proposals if x is not None); yield 'asks for', int(n) == max(0, best)
    o, _ = s.with_metrics([x for x, y in zip(s.spec['metrics'], s.proposals) if y is not None])
    for about, says in f:
        g = re.fullmatch(r'the size would be (\d+); now it stays at (\d+)', says)
        if g: yield 'without what fails', int(g[1]) == o['desiredReplicas'] and int(g[2]) == s.size


@rule('misleading-message', r'condition ScalingLimited .+ before the metrics failed (\S+) ago')
def _(s, f, t): yield 'ago', any(near(t, s.now - ts(c['lastTransitionTime'])) for c in s.m['conds'] if c['type'] == 'ScalingActive')


@rule('hot-container', r'container (\S+) is at (\d+)% of its (\S+) request \(target (\d+)%\), but its pods are at (\d+)%; measured alone, it asks for (\d+), not (\d+)')
def _(s, f, c, pct, res, goal, whole, asks, now):
    i = s.find(res, goal + '%'); yield 'pod', int(whole) == s.shown(i); yield 'target', int(goal) == s.goal(i)
    def alone(c):
        t = s.target(i); _, p = s.with_metrics([{'type': 'ContainerResource', 'containerResource': {'name': res, 'container': c, 'target': t}}]); r = p.results[0]
        return r['n'], r['st']['containerResource']['current']['averageUtilization']
    if s.p.minor >= 27: yield 'percent', alone(c) == (int(asks), int(pct))
    yield 'size', int(now) == s.size
    for about, says in f:
        g = re.fullmatch(r'container (\S+) asks for (\d+); the size is (\d+)', says)
        if g and s.p.minor >= 27: yield 'alone', (int(g[2]), int(g[3])) == (alone(g[1])[0], s.size)
        g = re.fullmatch(r'(\d+)% of its \S+ request', says)
        if g and s.p.minor >= 27: yield 'container', alone(about.split()[-1])[1] == int(g[1])


@rule('memory-cannot-fall', r'memory alone keeps the size at (\d+): it is at (\d+)% \(target (\d+)%\), while .+ asks for (\d+)')
def _(s, f, n, pct, goal, other):
    i = s.find('memory', goal + '%')
    yield 'keeps', int(n) == s.size; yield 'percent', int(pct) == s.shown(i); yield 'target', int(goal) == s.goal(i)
    yield 'others', int(other) == max(x for k, x in enumerate(s.proposals) if k != i and x is not None)
    for about, says in f:
        g = re.fullmatch(r'at (\d+)% or less it asks for (\d+)', says)
        if g: yield 'edge', ('down', g[2]) in s.points()


@rule('target-unreachable', r'memory is at (\d+)% of its request; .* brings it to the target (\d+)%, and the size goes to maxReplicas (\d+)')
def _(s, f, pct, goal, mx):
    i = s.find('memory', goal + '%'); yield 'percent', int(pct) == s.shown(i); yield 'target', int(goal) == s.goal(i); yield 'maxReplicas', int(mx) == s.spec['maxReplicas']
    for about, says in f:
        if about == 'memory per pod': yield 'amount', same(says, milli(s.current(i)['averageValue']))


def of_pods(*groups):
    def check(s, f, n, total, *rest):
        yield 'pods', int(n) in {len(set().union(*(set(r['G'].get(g, [])) for g in groups))) for r in s.p.results}
        yield 'of', int(total) == len(s.pods)
        for about, says in f:
            for name in re.findall(r'^Pod/(\S+)$', about):
                g = re.search(r'started (\S+) ago', says); pod = next(x for x in s.pods if x['metadata']['name'] == name)
                if g: yield 'started', near(g[1], s.now - ts(pod['status']['startTime']))
    return check
rule('pods-without-sample', r'(\d+) of (\d+) pods? \(.+\) (?:has|have) no sample')(of_pods('missingPods'))
rule('dampened', r'(\d+) of (\d+) pods? \(.+\) (?:has|have) no usable sample; counted with them, .+ is \S+ instead of (\S+),')(of_pods('missingPods', 'unreadyPods'))


@rule('initializing-pods', r'(\d+) of (\d+) pods? (?:does|do) not count')
def _(s, f, n, total):
    pending = {x['metadata']['name'] for x in s.pods if x['status']['phase'] == 'Pending'}
    yield 'pods', int(n) in {len(set(r['G'].get('unreadyPods', [])) - pending) for r in s.p.results}; yield 'of', int(total) == len(s.pods)


@rule('pods-pending', r'(\d+) of (\d+) pods? \(.+\) (?:is|are) Pending')
def _(s, f, n, total): yield 'pods', (int(n), int(total)) == (sum(x['status']['phase'] == 'Pending' for x in s.pods), len(s.pods))


@rule('flapping', r'the size reversed (at least )?(\d+)(?: to (\d+))? times in (\S+), (?:between (\d+) and (\d+)|to (\d+) and away again); it last changed (?:(\S+) to )?(\S+) ago')
def _(s, f, least, n, most, span, lo, hi, only, soonest, last):
    # Two seconds of slack: the events have whole ones.
    until = s.now - (seconds(soonest or last) - 2) * SEC; since = ts(dict(f)['since'].split()[0]) - 2 * SEC
    yield 'span', (until - since) / SEC - (60 if 'h' in span else 6) <= seconds(span)
    changes = [(t, a, b) for t, a, b in s.m['sizes'] if since <= t <= until]
    turns = sum((x[2] > x[1]) != (y[2] > y[1]) for x, y in zip(changes, changes[1:]))
    yield 'turns (true: %d)' % turns, int(n) <= turns and (least or turns <= int(most or n))
    sizes = {x for _, a, b in changes for x in (a, b)}
    yield 'sizes', int(lo or only) in sizes and int(hi or only) in sizes
    yield 'last', seconds(soonest or last) - 2 <= (s.now - changes[-1][0]) / SEC <= seconds(last) + 2


@rule('negative-metric', r'(.+) is (\S+): from Kubernetes 1\.34 on, a sum below 0( after some of its series)? counts as the largest number and asks for (-?\d+)')
def _(s, f, name, at, after, asks):
    i = s.find(name); series = s.series(i); sums = [sum(series[:k + 1]) for k in range(len(series))]
    yield 'release', s.p.minor >= 34 and s.spec['metrics'][i]['type'] == 'External'
    yield 'measured', same(at, sums[-1]); yield 'below 0', min(sums) < 0 and bool(after) == (sums[-1] >= 0)
    yield 'asks for', int(asks) == s.proposals[i]


@rule('negative-metric', r'(.+) is (\S+); a metric below 0 asks for (\d+), which leads to minReplicas (\d+)')
def _(s, f, name, at, asks, mn):
    i = s.find(name)
    yield 'measured', s.amount(at, i, s.shown(i)); yield 'asks for', int(asks) == max(0, s.proposals[i])
    yield 'minReplicas', int(mn) == s.spec['minReplicas'] and s.rec <= int(mn)


@rule('negative-metric', r'(.+) is (\S+); a metric below 0 asks for (\d+), but (.+) asks for (\d+)')
def _(s, f, name, at, asks, other, more):
    i = s.find(name)
    yield 'measured', s.amount(at, i, s.shown(i)); yield 'asks for', int(asks) == max(0, s.proposals[i])
    yield 'the other', int(more) == s.proposals[s.find(other)] == s.rec


@rule('negative-metric', r'(.+) is (\S+); a metric below 0 asks for (\d+)$')
def _(s, f, name, at, asks):
    i = s.find(name)
    yield 'measured', s.amount(at, i, s.shown(i)); yield 'asks for', int(asks) == max(0, s.proposals[i]); yield 'leads nowhere', s.rec == -1


@rule('target-above-limit', r'(.+) never asks for more pods: the limit caps it at (\S+), and the target is (\S+)')
def _(s, f, name, most, goal):
    i = s.find(name, goal); src = next(v for k, v in s.spec['metrics'][i].items() if k != 'type'); res = src['name']
    mine = lambda pod: [c for c in pod['spec']['containers'] if src.get('container') in (None, c['name'])]
    counted = [x for x in s.pods if x['metadata']['name'] in s.counted(i)]
    held = {x['metadata']['name']: {c['name']: c['resources']['limits'][res] for c in mine(x)} for x in counted}
    x = copy.deepcopy(s.truth.s)
    for it in x['metrics']['resource']['response']['items']:
        for c in it['containers']: c['usage'][res] = held.get(it['metadata']['name'], {}).get(c['name'], c['usage'][res])
    p = Pass(x); p.run(); at = next(v for k, v in p.results[i]['st'].items() if k != 'type')['current']
    yield 'at the limits', s.amount(most, i, at['averageUtilization'] if most.endswith('%') else milli(at['averageValue']))
    yield 'no more', p.results[i]['n'] <= s.size; yield 'target', s.amount(goal, i, s.goal(i))
    average = lambda kind: sum(milli(c['resources'][kind][res]) for x in counted for c in mine(x)) / len(counted)
    for about, says in f:
        if about in ('limit per pod', 'request per pod'): yield about, same(says.split()[0], average(about.split()[0] + 's'))
        g = re.fullmatch(r'asks for more at (\S+) or more', says)
        if g: yield 'edge', s.amount(g[1], i, s.edge(i, 'up')['value'])


@rule('one-hot-pod', r'pod (\S+) uses (\S+) (\S+), the other (\d+) use (\S+)(?: cpu)? on average; without it the metrics ask for (-?\d+), not (-?\d+)')
def _(s, f, pod, uses, name, others, average, then, asks):
    i = s.winner(); usage = {n: u for n, u in s.usage(i).items() if n in s.counted(i)}; hot = usage.pop(pod)
    yield 'metric', s.name(s.spec['metrics'][i]).split(' of ')[0] == name
    yield 'uses', same(uses, hot); yield 'the others', int(others) == len(usage) and same(average, sum(usage.values()) / len(usage))
    x = copy.deepcopy(s.truth.s); x['pods'] = [y for y in s.pods if y['metadata']['name'] != pod]
    for answer in [x['metrics'].get('resource')] + x['metrics'].get('custom', []):
        if answer and 'response' in answer: answer['response']['items'] = [y for y in answer['response']['items'] if pod not in (y.get('metadata', y.get('describedObject'))['name'], )]
    p = Pass(x); p.run()
    yield 'without it', int(then) == getattr(p, 'recommendation', -1) <= s.size; yield 'asks for', int(asks) == s.rec > s.size
    at = next(v for k, v in p.results[i]['st'].items() if k != 'type')['current']
    for about, says in f:
        g = re.fullmatch(r'\S+ is at (\S+) \(target (\S+)\) and asks for (\d+)(, .*)?', says)
        if g: yield 'it is at', s.amount(g[1], i, at['averageUtilization'] if g[1].endswith('%') else milli(at['averageValue'])); yield 'target', s.amount(g[2], i, s.goal(i)); yield 'asks for then', int(g[3]) == p.results[i]['n']


@rule('idle-above-target', r'all (\d+) pods? use about (\d+)% of their cpu request \(target (\d+)%\); if idle pods use as much, the size stays at maxReplicas (\d+)')
def _(s, f, n, pct, goal, mx):
    i = s.winner(); usage = [u for name, u in s.usage(i).items() if name in s.counted(i)]
    yield 'pods', int(n) == len(usage) == len(s.pods); yield 'percent', int(pct) == s.shown(i); yield 'target', int(goal) == s.goal(i)
    yield 'maxReplicas', int(mx) == s.spec['maxReplicas'] == s.size < s.rec
    for about, says in f:
        g = re.fullmatch(r'(\S+) to (\S+)', says)
        if g: yield 'from, to', same(g[1], min(usage)) and same(g[2], max(usage))
        g = re.match(r'at (\d+)% it asks for (\d+)', says)
        if g: yield 'scale-down', (int(g[1]), int(g[2])) == (s.edge(i, 'down')['value'], s.edge(i, 'down')['replicas'])


@rule('metric-twice', r'(.+) is listed twice(?: with the same target, (\S+)|, with targets (\S+) and (\S+); only the larger proposal counts)')
def _(s, f, name, both, one, other):
    places = [int(g[1]) for about, _ in f for g in [re.fullmatch(r'spec\.metrics\[(\d+)\]', about)] if g]
    named = [t.get('averageValue') or t.get('value') or '%d%%' % t['averageUtilization'] for i in places for t in [s.target(i)]]
    yield 'targets', named == ([both, both] if both else [one, other]) and [says for _, says in f] == ['target ' + x for x in named]
    yield 'the same', len({s.name(s.spec['metrics'][i]) for i in places}) == 1 and s.name(s.spec['metrics'][places[0]]).split(' of ')[0] == name
    if not both and s.rec != -1: yield 'the larger', s.rec == max(x for x in s.proposals if x is not None)


@rule('hpa-deleted', r'the HPA was deleted (\S+) ago')
def _(s, f, ago):
    at = s.truth.s['horizontalPodAutoscaler']['metadata']['deletionTimestamp']
    yield 'ago', near(ago, s.now - ts(at)); yield 'deletionTimestamp', any(says == at for _, says in f)


@rule('fixed-size', r'minReplicas and maxReplicas are both (\d+), so the size cannot change')
def _(s, f, n):
    yield 'both', int(n) == s.spec['minReplicas'] == s.spec['maxReplicas']
    if s.rec != -1: yield 'size', s.o['desiredReplicas'] == int(n)


@rule('metrics-api-unavailable', r'the (\S+) API(?: \(\S+\))? is down or fails, so (.+) cannot be read')
def _(s, f, api, names):
    of = {'metrics.k8s.io': ('Resource', 'ContainerResource'), 'custom.metrics.k8s.io': ('Pods', 'Object'), 'external.metrics.k8s.io': ('External',)}[api]
    fail = [s.name(x) for x, r in zip(s.spec['metrics'], s.p.results) if x['type'] in of and r['err'] and 'currently unable' in r['err'].inner]
    yield 'metrics', re.split(', | or | and ', names) == list(dict.fromkeys(fail))


@rule('short-period', r'(scaleUp|scaleDown) window of (\d+)s has no effect: the controller runs every (\d+)s, so its previous recommendation')
def _(s, f, side, window, sync):
    yield 'window', int(window) == s.behavior[side]['stabilizationWindowSeconds']; yield 'sync period', int(sync) == s.sync
    yield 'outside', all(at <= s.m['next'] - int(window) * SEC for _, at in s.records[0])


@rule('short-period', r'(scaleUp|scaleDown) policy (\w+) (\d+) per (\d+)s allows that much per (\d+)s, because the controller runs every (\d+)s')
def _(s, f, side, kind, value, period, per, sync):
    yield 'policy', {'type': kind, 'value': int(value), 'periodSeconds': int(period)} in s.behavior[side]['policies']
    yield 'sync period', int(period) < int(sync) == int(per) == s.sync
    yield 'outside', all(e[1] <= s.m['next'] - int(period) * SEC for e in s.records[1 if side == 'scaleUp' else 2])


@rule('policy-period', r'(scaleUp|scaleDown) policy (\w+ \d+ per \S+) counts from (\d+), not (\d+), because (\d+) pods? (?:was|were) (?:removed|added)')
def _(s, f, side, policy, start, now, others):
    q, true, _ = s.policy(side, policy); added, removed = s.added(q['periodSeconds']), s.removed(q['periodSeconds'])
    yield 'start', int(start) == true; yield 'now', int(now) == s.size; yield 'the other way', int(others) == (removed if side == 'scaleUp' else added)
    for about, says in f:
        g = re.fullmatch(r'(\d+) now - (\d+) added \+ (\d+) removed = (\d+)', says)
        if g: yield 'sum', tuple(map(int, g.groups())) == (s.size, added, removed, true)


@rule('percent-trap', r'(scaleUp|scaleDown)\.selectPolicy Min chooses (\w+ \d+ per \S+) \((\d+) pods? here\) instead of (\w+ \d+ per \S+)')
def _(s, f, side, policy, moves, other):
    yield 'here', int(moves) == s.policy(side, policy)[2]; yield 'the other', s.policy(side, other)[2] >= 2 * int(moves)
    limit = s.limit(side, s.policy(side, policy)[0])
    # A limit on the other side of the size lets it stay as it is.
    yield 'counts', s.o['desiredReplicas'] == (max if side == 'scaleUp' else min)(limit, s.size)


@rule('percent-trap', r'(scaleUp|scaleDown) policy (\w+ \d+ per \S+) of (\d+) is (\d+) pods?, which is (\d+)%: ')
def _(s, f, side, policy, start, moves, pct):
    _, true, far = s.policy(side, policy); yield 'of', int(start) == true; yield 'is', int(moves) == far; yield 'percent', int(pct) == far * 100 // true


@rule('percent-trap', r'scaleDown policy (\w+ \d+ per \S+) does not limit the drop to (\d+); without it, (\w+ \d+ per \S+) allows no less than (\d+)')
def _(s, f, policy, n, other, allows):
    rest = [q for q in s.behavior['scaleDown']['policies'] if not (q['type'] == 'Percent' and q['value'] >= 100)]
    behavior = dict(s.behavior, scaleDown=dict(s.behavior['scaleDown'], policies=rest)); o, _ = s.truth.as_it_is(spec=dict(s.spec, behavior=behavior))
    yield 'at once', int(n) == s.o['desiredReplicas'] and s.policy('scaleDown', policy)[0]['value'] >= 100; yield 'allows', int(allows) == o['desiredReplicas']
    yield 'the other', s.policy('scaleDown', other)[0] in rest


@rule('sudden-drop', r'the size goes from (\d+) to (\d+) at once; no scaleDown policy')
def _(s, f, a, b):
    yield 'from', int(a) == s.size; yield 'to', int(b) == s.o['desiredReplicas']; yield 'drop', int(b) <= int(a) // 2
    behavior = copy.deepcopy(s.behavior) or {'scaleUp': {'stabilizationWindowSeconds': 0, 'selectPolicy': 'Max', 'policies': DEF_UP}, 'scaleDown': {'selectPolicy': 'Max'}}
    behavior['scaleDown']['policies'] = [{'type': 'Percent', 'value': 10, 'periodSeconds': 60}]
    o, _ = s.truth.as_it_is(spec=dict(s.spec, behavior=behavior)); yield 'what helps', o['desiredReplicas'] > int(b)


@rule('out-of-bounds', r'the size (\d+) is (above maxReplicas|below minReplicas) (\d+) and is set to \3 at once, whatever')
def _(s, f, n, side, bound):
    above = side.startswith('above'); field = side.split()[1]
    yield 'size', int(n) == s.size; yield 'outside', (int(n) > int(bound)) == above and n != bound
    yield 'bound', int(bound) == s.spec[field] and f == [('spec.' + field, bound)]
    yield 'set at once', s.o['desiredReplicas'] == int(bound) and s.o.get('rescale')
    yield 'no metric', s.rec == -1


@rule('up-below-target', r'the size goes up to (\d+) although ' + ASKS + r': without behavior, the highest recommendation of (\S+) also')
def _(s, f, n, asks, window):
    yield 'goes to', int(n) == s.o['desiredReplicas'] > s.size; yield 'asks for', int(asks) == s.rec < s.size
    yield 'window', s.behavior is None and seconds(window) == s.p.down_stab
    highest = max([s.rec] + [r for r, at in s.records[0] if at >= s.now - s.p.down_stab * SEC])
    yield 'the highest', int(n) == min(s.spec['maxReplicas'], max(2 * s.size, 4), highest)
    for about, says in f:
        g = re.fullmatch(r'(\d+), (\S+) ago', says)
        if g: yield 'counts', any(r == int(g[1]) and near(g[2], s.now - at) for r, at in s.records[0])
    for tried in s.remedies:
        rules = {'scaleUp': {'stabilizationWindowSeconds': 0, 'selectPolicy': 'Max', 'policies': DEF_UP}, 'scaleDown': {'stabilizationWindowSeconds': int(re.search(r'stabilizationWindowSeconds: (\d+)', tried['patch'])[1]), 'selectPolicy': 'Max', 'policies': DEF_DN}}
        o, _ = s.truth.as_it_is(spec=dict(s.spec, behavior=rules))
        yield 'what helps', int(re.search(r'keeps (\d+) and raises nothing', tried['says'])[1]) == o['desiredReplicas'] <= s.size


@rule('up-below-target', r'the size went up from (\d+) to (\d+) (\S+) ago by an older recommendation; no metric asked for it')
def _(s, f, a, b, ago):
    true = [(at, rec) for at, before, after, rec in s.m['passes'] if (before, after) == (int(a), int(b))]
    yield 'from, to', bool(true) and int(b) > int(a)
    yield 'ago, and no metric', any(near(ago, s.now - at, 2) and rec < int(a) for at, rec in true)


def check(tally, m, d, truth, o, p):
    s = None
    for f in d['trace'].get('findings', []):
        code, facts = f['code'], [(e['about'], e['says']) for e in f.get('evidence') or []]
        kind = 'finding ' + code
        if code not in RULES:
            has = re.search(r'\d', re.sub(r'v?\d+\.\d+|[\w./]*/[\w.\-/]*', '', f['message']))
            tally(kind, 'no rule for its numbers' if has else 'no numbers'); continue
        s = s or Found(m, d, truth, o, p); s.remedies = f.get('remedies') or []
        hits = [(take, g) for pattern, take in RULES[code] for g in [pattern.match(f['message'])] if g]
        if not hits: tally(kind, 'not parsed', m, f['message']); tally.other.append((kind, m['seed'], m['k'], f['message'])); continue
        take, g = hits[0]
        for what, ok in take(s, facts, *g.groups()):
            tally.hold(kind, bool(ok), m, '%s: %s | %s' % (what, f['message'], facts))
