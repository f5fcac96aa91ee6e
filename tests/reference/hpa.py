"""The controller in plain Python: slow, without a trace, but it answers every case of tests/conformance right."""
import math, re, struct, datetime
from fractions import Fraction

# ---------------------------------------------------------------- integers
def i64(x):
    x &= (1 << 64) - 1
    return x - (1 << 64) if x >> 63 else x
def i32(x):
    x &= (1 << 32) - 1
    return x - (1 << 32) if x >> 31 else x
def f2i32(f):
    if math.isnan(f) or math.isinf(f): return -2147483648
    t = math.trunc(f)
    return t if -2147483648 <= t <= 2147483647 else -2147483648
def f2i64(f):
    if math.isnan(f) or math.isinf(f): return -(1 << 63)
    t = math.trunc(f)
    return t if -(1 << 63) <= t < (1 << 63) else -(1 << 63)
def ceilf(f):
    if math.isnan(f) or math.isinf(f): return f
    c = float(math.ceil(f))
    return c
def tdiv(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q
def fdiv(a, b):
    a, b = float(a), float(b)
    if b == 0.0:
        if a == 0.0 or math.isnan(a): return math.nan
        s = math.copysign(1, a) * math.copysign(1, b)
        return math.inf * s
    return a / b
def fmul(a, b):
    return a * b

# ---------------------------------------------------------------- quantities
DEC = {'n': -9, 'u': -6, 'm': -3, '': 0, 'k': 3, 'M': 6, 'G': 9, 'T': 12, 'P': 15, 'E': 18}
BIN = {'Ki': 10, 'Mi': 20, 'Gi': 30, 'Ti': 40, 'Pi': 50, 'Ei': 60}
class Qty:
    """i: value x 10^scale in 64 bits; or d: unscaled x 10^-9 in any size"""
    __slots__ = ('small', 'v', 'e', 'fmt', 's')
    def __init__(self, small, v, e, fmt, s=None): self.small, self.v, self.e, self.fmt, self.s = small, v, e, fmt, s
    def frac(self): return Fraction(self.v) * Fraction(10) ** self.e
def qread(s):
    s = str(s).strip()
    if s == '0': return Qty(True, 0, 0, 'dec', s)
    m = re.fullmatch(r'([+-]?)(\d*)(?:(\.)(\d*))?(?:([eE][+-]?\d+)|([a-zA-Z]*))', s)
    if not s or not m: raise ValueError('quantity ' + s)
    neg = m.group(1) == '-'; num = m.group(2).lstrip('0'); den = m.group(4) or ''
    if not m.group(2) and m.group(3) is None: raise ValueError('quantity ' + s)
    if num == '' : num = '0' if (m.group(3) is not None or m.group(5) or m.group(6) or m.group(2)) else ''
    if m.group(5): fmt, exp = 'exp', int(m.group(5)[1:])
    elif m.group(6) in BIN: fmt, exp = 'bin', BIN[m.group(6)]
    elif m.group(6) in DEC: fmt, exp = 'dec', DEC[m.group(6)]
    else: raise ValueError('quantity ' + s)
    if m.group(2).strip('0') == '' and m.group(3) is None and not m.group(5) and not m.group(6): return Qty(True, 0, 0, 'dec', None)
    if fmt != 'bin': scale, prec, mant = exp, 18 - len(num) - len(den), 1
    elif not den and m.group(4) is None or den == '': scale, prec, mant = 0, 15 - len(num) - exp * 3 // 10 - 1, 1 << exp
    else: scale, prec, mant = 0, -1, 1
    if prec >= 0:
        scale -= len(den)
        if scale >= -9:
            sh = num + den; v = int(sh); r = v * mant
            if -(1 << 63) < r < 1 << 63:
                keep = (v & 7) != 0 if fmt == 'bin' else scale % 3 == 0 and not sh.endswith('000') and sh[0] != '0'
                return Qty(True, -r if neg else r, scale, fmt, s if keep else None)
    a = Fraction(int(num + den), 10 ** len(den)) * (Fraction(1 << exp) if fmt == 'bin' else Fraction(10) ** exp)
    n = a * 10**9; n = -((-n.numerator) // n.denominator)
    if fmt == 'bin':
        n = min(n, ((1 << 63) - 1) * 10**9)
        if 0 < n < 10**9: fmt = 'dec'
    return Qty(False, -n if neg else n, -9, fmt)
def qparse(s):
    q = qread(s); return q.frac(), q.fmt
def qmilli(q):
    if q.small:
        k = q.e + 3
        if k < 0:
            a = abs(q.v); n = -((-a) // 10 ** -k); return n if q.v >= 0 else -n
        if k in (0, 1, 2, 3, 6, 9): return i64(q.v * 10 ** k)
        r = q.v * 10 ** k
        return r if -(1 << 63) <= r < 1 << 63 else 0
    if q.v < (1 << 63) - 1:
        u = i64(q.v); r = tdiv(u, 10**6)
        return r + 1 if u - r * 10**6 else r
    return i64(-((-q.v) // 10**6))
def milli(s): return qmilli(qread(s))
def canon_frac(v, fmt='dec'):
    if v == 0: return '0'
    neg = v < 0; a = abs(v)
    if fmt == 'bin' and a.denominator == 1 and a >= 1024:
        n = a.numerator; k = 0
        while n % 1024 == 0 and n >= 1024: n //= 1024; k += 10
        return ('-' if neg else '') + str(n) + {b: s for s, b in BIN.items()}.get(k, '')
    e = 0
    n, d = a.numerator, a.denominator
    while d != 1: a *= 1000; e -= 3; n, d = a.numerator, a.denominator
    while n % 1000 == 0: n //= 1000; e += 3
    if fmt == 'exp': suf = '' if e == 0 else 'e%d' % e
    else: suf = {x: y for y, x in DEC.items()}.get(e, '')
    return ('-' if neg else '') + str(n) + suf
def canon(s):
    q = qread(s); return q.s if q.s is not None else canon_frac(q.frac(), q.fmt)
def canon_milli(m, fmt='dec'): return canon_frac(Fraction(m, 1000), fmt)
def pow10(e): return float('1e%d' % e)
def approx_float(s):
    """mantissa x Pow10(exponent)"""
    q = qread(s)
    return float(q.v) if q.e == 0 else float(q.v) * pow10(q.e)

# ---------------------------------------------------------------- time, duration, selectors
def ts(s):
    if s is None: return None
    m = re.fullmatch(r'(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)(?:\.(\d+))?Z', s)
    y, mo, d, h, mi, se = (int(m.group(i)) for i in range(1, 7))
    t = int((datetime.datetime(y, mo, d, h, mi, se) - datetime.datetime(1970, 1, 1)).total_seconds()) * 10**9
    if m.group(7): t += int((m.group(7) + '0' * 9)[:9])
    return t
def dur(s):
    tot = 0
    for n, u in re.findall(r'([\d.]+)(h|ms|us|ns|m|s)', s):
        tot += int(Fraction(n) * {'h': 3600 * 10**9, 'm': 60 * 10**9, 's': 10**9, 'ms': 10**6, 'us': 1000, 'ns': 1}[u])
    return tot
SEC = 10**9

class SelErr(Exception): pass
SPECIAL = '=!(),><'
TOK = {')', ',', '!', '==', '=', '>', 'in', '<', '!=', 'notin', '('}
NAME = r'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
def lex(s):
    out = []; i = 0
    while True:
        while i < len(s) and s[i] in ' \t\r\n': i += 1
        if i >= len(s): out.append(('end', '')); return out
        if s[i] in SPECIAL:
            buf = ''; last = None
            while i < len(s) and s[i] in SPECIAL:
                buf += s[i]; i += 1
                if buf in TOK: last = buf
                elif last is not None: i -= 1; break
            out.append((last, last)) if last is not None else out.append(('error', "error expected: keyword found '%s'" % buf))
        else:
            j = i
            while j < len(s) and s[j] not in SPECIAL and s[j] not in ' \t\r\n': j += 1
            w = s[i:j]; i = j
            out.append((w if w in TOK else 'id', w))
BINOPS = 'in, notin, =, ==, !=, gt, lt'
class Sel:
    def __init__(self, text, minor): self.t, self.i, self.minor = lex(text), 0, minor
    def look(self, vals=True): k, l = self.t[self.i]; return ('id' if vals and k in ('in', 'notin') else k), l
    def take(self, vals=True): r = self.look(vals); self.i += 1; return r
    def parse(self):
        reqs = []
        while True:
            k, l = self.look()
            if k in ('id', '!'):
                try: reqs.append(self.requirement())
                except SelErr as e: raise SelErr('unable to parse requirement: %s' % e)
                k, l = self.take()
                if k == 'end': return sorted(reqs, key=lambda r: r[0])
                if k != ',': raise SelErr("found '%s', expected: ',' or 'end of string'" % l)
                k2, l2 = self.look()
                if k2 not in ('id', '!'): raise SelErr("found '%s', expected: identifier after ','" % l2)
            elif k == 'end': return reqs
            else: raise SelErr("found '%s', expected: !, identifier, or 'end of string'" % l)
    def requirement(self):
        neg = False
        k, key = self.take()
        if k == '!': neg = True; k, key = self.take()
        if k != 'id': raise SelErr("found '%s', expected: identifier" % key)
        e = key_errors(key, self.minor)
        if e: raise SelErr('<nil>: Invalid value: "%s": %s' % (key, '; '.join(e)))
        if neg: return key, '!', []
        if self.look()[0] in ('end', ','): return key, 'exists', []
        k, l = self.take(False)
        if k not in ('in', '=', '==', '>', '<', 'notin', '!='): raise SelErr("found '%s', expected: %s" % (l, BINOPS))
        op = '=' if k == '==' else k
        if op in ('in', 'notin'):
            k, l = self.take()
            if k != '(': raise SelErr("found '%s' expected: '('" % l)
            k, first = self.look()
            if k == ')': self.take(); vals = {''}
            elif k in ('id', ','):
                vals = self.idlist()
                self.take()
            else: raise SelErr("found '%s', expected: ',', ')' or identifier" % first)
        else:
            k, l = self.look()
            if k in ('end', ','): vals = {''}
            else:
                self.take()
                if k != 'id': raise SelErr("found '%s', expected: identifier" % l)
                vals = {l}
        vals = sorted(vals); errs = []
        for i, v in enumerate(vals):
            if op in '<>' and not re.fullmatch(r'[+-]?\d+', v): errs.append("values[%d]: Invalid value: \"%s\": for 'Gt', 'Lt' operators, the value must be an integer" % (i, v))
        for i, v in enumerate(vals):
            e = value_errors(v, self.minor)
            if e: errs.append('values[%d][%s]: Invalid value: "%s": %s' % (i, key, v, '; '.join(e)))
        if errs: raise SelErr(errs[0] if len(errs) == 1 else '[%s]' % ', '.join(dict.fromkeys(errs)))
        return key, op, vals
    def idlist(self):
        s = set()
        while True:
            k, l = self.take()
            if k == 'id':
                s.add(l); k2, l2 = self.look()
                if k2 == ',': continue
                if k2 == ')': return s
                raise SelErr("found '%s', expected: ',' or ')'" % l2)
            if k == ',':
                if not s: s.add('')
                k2, _ = self.look()
                if k2 == ')': s.add(''); return s
                if k2 == ',': s.add('')
                continue
            raise SelErr("found '%s', expected: ',', or identifier" % l)
NAMETXT = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '" + NAME + "')"
SUBTXT = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
VALTXT = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(" + NAME + ")?')"
def key_errors(k, minor):
    p = k.split('/'); unit = 'bytes' if minor >= LABELKEY else 'characters'
    if len(p) > 2: return [('a valid label key ' if minor >= LABELKEY else 'a qualified name ') + NAMETXT + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    e = []
    if len(p) == 2:
        if not p[0]: e.append('prefix part must be non-empty')
        else:
            if len(p[0]) > 253: e.append('prefix part must be no more than 253 ' + unit)
            if not re.fullmatch(r'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*', p[0]): e.append('prefix part ' + SUBTXT)
    n = p[-1]
    if not n: e.append('name part must be non-empty')
    elif len(n) > 63: e.append('name part must be no more than 63 ' + unit)
    if not re.fullmatch(NAME, n): e.append('name part ' + NAMETXT)
    return e
def value_errors(v, minor):
    e = []
    if len(v) > 63: e.append('must be no more than 63 ' + ('bytes' if minor >= LABELKEY else 'characters'))
    if not re.fullmatch('(' + NAME + ')?', v): e.append(VALTXT)
    return e
def parse_selector(s, minor=36): return Sel(s, minor).parse()
def sel_match(reqs, labels):
    for k, op, vals in reqs:
        has = k in labels
        if op == 'exists' and not has: return False
        if op == '!' and has: return False
        if op in ('=', 'in') and not (has and labels[k] in vals): return False
        if op in ('!=', 'notin') and has and labels[k] in vals: return False
        if op in ('>', '<'):
            if not has or not re.fullmatch(r'[+-]?\d+', labels[k]): return False
            if not (int(labels[k]) > int(vals[0]) if op == '>' else int(labels[k]) < int(vals[0])): return False
    return True
def labelselector_string(sel):
    """selector of a metric as text sent on the wire"""
    if not sel: return ''
    parts = []
    for k, v in (sel.get('matchLabels') or {}).items(): parts.append((k, '%s=%s' % (k, v)))
    for e in sel.get('matchExpressions') or []:
        k, op, vals = e['key'], e['operator'], sorted(e.get('values') or [])
        parts.append((k, {'In': '%s in (%s)' % (k, ','.join(vals)), 'NotIn': '%s notin (%s)' % (k, ','.join(vals)), 'Exists': k, 'DoesNotExist': '!' + k}[op]))
    return ','.join(t for _, t in sorted(parts))
def print_sel(sel):
    if sel is None: return 'nil'
    ml = ''.join('%s: %s,' % (k, v) for k, v in sorted((sel.get('matchLabels') or {}).items()))
    me = ''.join('LabelSelectorRequirement{Key:%s,Operator:%s,Values:[%s],},' % (e['key'], e['operator'], ' '.join(e.get('values') or [])) for e in sel.get('matchExpressions') or [])
    return '&LabelSelector{MatchLabels:map[string]string{%s},MatchExpressions:[]LabelSelectorRequirement{%s},}' % (ml, me)

class MErr(Exception):
    """inner: text of event and condition; outer: text of the metric's error"""
    def __init__(self, inner, reason=None, outer=None): self.inner, self.reason, self.outer = inner, reason, outer

SCALE_MSG = {
 'ScaleUpLimit': 'the desired replica count is increasing faster than the maximum scale rate',
 'TooManyReplicas': 'the desired replica count is more than the maximum replica count',
 'TooFewReplicas': 'the desired replica count is less than the minimum replica count',
 'ScaleDownLimit': 'the desired replica count is decreasing faster than the maximum scale rate',
 'DesiredWithinRange': 'the desired count is within the acceptable range',
 'ScaleUpStabilized': 'recent recommendations were lower than current one, applying the lowest recent recommendation',
 'ScaleDownStabilized': 'recent recommendations were higher than current one, applying the highest recent recommendation',
 'ReadyForNewScale': 'recommended size matches current size'}

class Pass:
    def __init__(self, s):
        self.s = s
        self.minor = int(re.match(r'v?1\.(\d+)', s.get('serverVersion', 'v1.36.0')).group(1))
        c = s.get('controller') or {}
        self.flag_tol = float(c.get('tolerance', 0.1))
        self.down_stab = int(c.get('downscaleStabilizationSeconds', 300))
        self.cpu_init = int(c.get('cpuInitializationPeriodSeconds', 300)) * SEC
        self.ready_delay = int(c.get('initialReadinessDelaySeconds', 30)) * SEC
        g = c.get('featureGates') or {}
        m = self.minor
        self.g_zero = g.get('HPAScaleToZero', m >= 37) and m >= 36
        self.g_tol = (g.get('HPAConfigurableTolerance', m >= 35) and m >= 33) or m >= 37
        self.g_podlevel = g.get('PodLevelResources', m >= 34) and m >= 34
        self.g_container = CONTAINER_GATE(m, g)
        self.now = ts(s['capturedAt'])
        self.hpa = s['horizontalPodAutoscaler']
        self.spec = self.hpa['spec']
        self.ns = self.hpa['metadata']['namespace']
        self.name = self.hpa['metadata']['name']
        st = self.hpa.get('status') or {}
        self.conds = [dict(c) for c in st.get('conditions') or []]
        self.events = []
        h = s.get('history') or {}
        self.recs = [[r['replicas'], ts(r['timestamp'])] for r in h.get('recommendations') or []]
        self.up = [[e['replicaChange'], ts(e['timestamp']), False] for e in h.get('scaleUpEvents') or []]
        self.down = [[e['replicaChange'], ts(e['timestamp']), False] for e in h.get('scaleDownEvents') or []]
        self.behavior = self.spec.get('behavior')
        self.tol_down = self.tol_up = self.flag_tol
        if self.behavior is not None and self.g_tol:
            t = (self.behavior.get('scaleDown') or {}).get('tolerance')
            if t is not None: self.tol_down = approx_float(t)
            t = (self.behavior.get('scaleUp') or {}).get('tolerance')
            if t is not None: self.tol_up = approx_float(t)
        m_ = self.spec.get('metrics') or []
        self.has_oe = any(x['type'] in ('Object', 'External') for x in m_)

    # ------------------------------------------------------------ conditions and events
    def cond(self, t, status, reason, msg):
        for c in self.conds:
            if c['type'] == t:
                c.update(status=status, reason=reason, message=msg); return
        self.conds.append(dict(type=t, status=status, reason=reason, message=msg))
    def event(self, t, reason, msg): self.events.append(dict(type=t, reason=reason, message=msg))

    # ------------------------------------------------------------ arithmetic
    def within(self, r, per_pod=False):
        if self.minor >= 33: return (1.0 - self.tol_down) <= r <= (1.0 + self.tol_up)
        if per_pod: return not (abs(1.0 - r) > self.flag_tol)
        return abs(1.0 - r) <= self.flag_tol

    def listed(self, sel):
        return [p for p in self.s.get('pods') or [] if p['metadata'].get('namespace', self.ns) == self.ns and sel_match(sel, p['metadata'].get('labels') or {})]

    # ------------------------------------------------------------ metrics client
    def resource_map(self, res, container, sel):
        r = (self.s.get('metrics') or {}).get('resource')
        if r is None: raise MErr('unable to fetch metrics from resource metrics API: ?')
        if r.get('error'): raise MErr('unable to fetch metrics from resource metrics API: ' + r['error'])
        items = [i for i in r['response'].get('items') or [] if sel_match(sel, i['metadata'].get('labels') or {})]
        if not items: raise MErr('no metrics returned from resource metrics API')
        out = {}
        for it in items:
            cs = it.get('containers') or []
            if container is None:
                if not cs: continue
                tot = 0; bad = False
                for c in cs:
                    u = (c.get('usage') or {}).get(res)
                    if u is None: bad = True; break
                    tot += milli(u)
                if bad: continue
            else:
                c = next((c for c in cs if c['name'] == container), None)
                if c is None:
                    if self.minor >= 33: continue
                    raise MErr('failed to get container metrics: container %s not present in metrics for pod %s/%s' % (container, it['metadata'].get('namespace', ''), it['metadata']['name']))
                u = (c.get('usage') or {}).get(res)
                if u is None: continue
                tot = milli(u)
            out[it['metadata']['name']] = (ts(it['timestamp']), dur(it['window']), i64(tot))
        return out

    def custom(self, metric, selector, described):
        w = labelselector_string(selector)
        for c in (self.s.get('metrics') or {}).get('custom') or []:
            if c['metric'] != metric or (c.get('metricSelector') or '') != w: continue
            d = c.get('describedObject')
            if (d is None) != (described is None): continue
            if d is not None:
                want = (described['kind'], described['name'])
                if described['kind'] == 'Namespace' and described.get('apiVersion', '') in ('', 'v1'): want = ('Namespace', self.ns)
                if (d.get('kind'), d.get('name')) != want: continue
            if c.get('error'): raise MErr('unable to fetch metrics from custom metrics API: ' + c['error'])
            items = c['response'].get('items') or []
            if described is not None:
                if len(items) != 1:
                    raise MErr('unable to fetch metrics from custom metrics API: the custom metrics API server returned %d results when we asked for exactly one' % len(items))
                return milli(items[0]['value'])
            if not items: raise MErr('no metrics returned from custom metrics API')
            return {i['describedObject']['name']: (ts(i['timestamp']), int(i.get('windowSeconds') if i.get('windowSeconds') is not None else 60) * SEC, milli(i['value'])) for i in items}
        raise MErr('unable to fetch metrics from custom metrics API: the server could not find the metric %s for %s' % (metric, 'pods' if described is None else self.ns if described['kind'] == 'Namespace' and described.get('apiVersion', '') in ('', 'v1') else described['name']))

    def external(self, metric, selector):
        w = labelselector_string(selector)
        for c in (self.s.get('metrics') or {}).get('external') or []:
            if c['metric'] != metric or (c.get('metricSelector') or '') != w: continue
            if c.get('error'): raise MErr('unable to fetch metrics from external metrics API: ' + c['error'])
            items = c['response'].get('items') or []
            if not items: raise MErr('no metrics returned from external metrics API')
            return [milli(i['value']) for i in items]
        raise MErr('unable to fetch metrics from external metrics API: the server could not find the metric ' + metric)

    # ------------------------------------------------------------ grouping
    def group(self, pods, mm, cpu):
        ready = 0; unready = []; missing = []; ignored = []
        for p in pods:
            n = p['metadata']['name']; st = p.get('status') or {}; ph = st.get('phase')
            if p['metadata'].get('deletionTimestamp') or ph == 'Failed' or (ph == 'Succeeded' and self.minor >= 38):
                ignored.append(n); continue
            if ph == 'Pending': unready.append(n); continue
            if n not in mm: missing.append(n); continue
            if cpu:
                rc = next((c for c in st.get('conditions') or [] if c['type'] == 'Ready'), None)
                start = ts(st.get('startTime'))
                if rc is None or start is None: unready.append(n); continue
                ltt = ts(rc.get('lastTransitionTime'))
                t, w, _ = mm[n]
                if start + self.cpu_init > self.now:
                    un = rc['status'] == 'False' or t < ltt + w
                else:
                    un = rc['status'] == 'False' and start + self.ready_delay > ltt
                if un: unready.append(n); continue
            ready += 1
        return ready, unready, missing, ignored

    # ------------------------------------------------------------ requests
    def requests(self, pods, res, container):
        out = {}
        for p in pods:
            n = p['metadata']['name']; sp = p['spec']
            side = [c for c in sp.get('initContainers') or [] if c.get('restartPolicy') == 'Always'] if self.minor >= 29 else []
            def req(c): return ((c.get('resources') or {}).get('requests') or {}).get(res)
            plr = ((sp.get('resources') or {}).get('requests')) or {}
            if container is None and self.g_podlevel and any(k in ('cpu', 'memory') or k.startswith('hugepages-') for k in plr):
                v = self.podlevel(sp, res, plr)
                if v is None: raise MErr('missing pod-level request for %s in Pod %s' % (res, n))
                out[n] = v; continue
            tot = 0; found = False
            for c in (sp.get('containers') or []) + side:
                if container is not None and c['name'] != container: continue
                r = req(c)
                if r is None: raise MErr('missing request for %s in container %s of Pod %s' % (res, c['name'], n) if self.minor >= 26 else 'missing request for %s' % res)
                tot += milli(r); found = True
                if container is not None: break
            if container is not None and not found and self.minor >= 35:
                raise MErr('container %s not found in Pod %s' % (container, n))
            out[n] = tot
        return out

    def podlevel(self, sp, res, plr):
        def req(c):
            v = ((c.get('resources') or {}).get('requests') or {}).get(res)
            return None if v is None else qparse(v)[0]
        tot = None; peak = None; sidesum = None
        add = lambda a, b: b if a is None else a if b is None else a + b
        mx = lambda a, b: b if a is None else a if b is None else max(a, b)
        for c in sp.get('containers') or []: tot = add(tot, req(c))
        for c in sp.get('initContainers') or []:
            r = req(c)
            if c.get('restartPolicy') == 'Always':
                tot = add(tot, r); sidesum = add(sidesum, r); cand = sidesum
            else: cand = add(r, sidesum)
            peak = mx(peak, cand)
        tot = mx(tot, peak)
        if res in plr: tot = qparse(plr[res])[0]
        if self.minor <= 37 and res in (sp.get('overhead') or {}): tot = add(tot, qparse(sp['overhead'][res])[0])
        if tot is None: return None
        v = tot * 1000
        return -((-v.numerator) // v.denominator)

    # ------------------------------------------------------------ ratios
    def util(self, mm, reqs, target):
        T = R = n = 0
        for p, (_, _, v) in mm.items():
            if p in reqs: T += v; R += reqs[p]; n += 1
        T, R = i64(T), i64(R)
        if R == 0: raise MErr('no metrics returned matched known pods')
        pct = i32(tdiv(i64(T * 100), R))
        return fdiv(pct, target), pct, tdiv(T, n)
    def avg(self, mm, target):
        u = tdiv(i64(sum(v for _, _, v in mm.values())), len(mm))
        return fdiv(u, target), u

    def pods_rec(self, cur, mm, pods, cpu, ratio, fill, guard_eq, G):
        """4.5; G receives the groups. ratio(map) -> (r, shown...)"""
        mm = dict(mm)
        ready, unready, missing, ignored = self.group(pods, mm, cpu)
        G.update(readyPodCount=ready, unreadyPods=sorted(unready), missingPods=sorted(missing), ignoredPods=sorted(ignored))
        for n in ignored + unready: mm.pop(n, None)
        if self.minor <= 25: prep = fill()
        if not mm: raise MErr('did not receive metrics for targeted pods (pods might be unready)' if self.minor >= 27 else 'did not receive metrics for any ready pods')
        if self.minor >= 26: prep = fill()
        first = ratio(mm, prep); r = first[0]
        up_unready = bool(unready) and r > 1.0
        if not up_unready and not missing:
            if self.within(r): return cur, first
            return f2i32(ceilf(r * float(ready))), first
        if missing:
            if r < 1.0:
                for p in missing: mm[p] = (None, None, guard_eq(p, prep))
            elif r > 1.0 or (self.minor <= 27 and guard_eq.average and r == 1.0):
                for p in missing: mm[p] = (None, None, 0)
        if up_unready:
            for p in unready: mm[p] = (None, None, 0)
        r2 = ratio(mm, prep)[0]
        if self.within(r2) or (r < 1.0 and r2 > 1.0) or (r > 1.0 and r2 < 1.0): return cur, first
        n = f2i32(ceilf(r2 * float(len(mm))))
        if (r2 < 1.0 and n > cur) or (r2 > 1.0 and n < cur): return cur, first
        return n, first

    def resource_metric(self, cur, res, container, target, sel, G):
        what = None
        av, au = target.get('averageValue'), target.get('averageUtilization')
        def wrap(prefix, e): return MErr(prefix + e.inner)
        if av is not None:
            pre = 'failed to get %s %s: ' % (res, 'usage' if self.minor >= 26 else 'utilization')
        elif au is not None:
            pre = 'failed to get %s utilization: ' % res
        else:
            raise MErr('invalid resource metric source: neither an average utilization target nor an average value %starget was set' % ('(usage) ' if self.minor >= 26 else ''))
        try:
            try: mm = self.resource_map(res, container, sel)
            except MErr as e: raise MErr('unable to get metrics for resource %s: %s' % (res, e.inner))
            pods = self.listed(sel)
            if not pods: raise MErr('no pods returned by selector while calculating replica count')
            fmt = 'bin' if res == 'memory' and self.minor >= 34 else 'dec'
            if av is not None:
                tm = milli(av)
                def fill_missing(p, prep): return tm
                fill_missing.average = True
                n, sh = self.pods_rec(cur, mm, pods, res == 'cpu', lambda m, _: self.avg(m, tm), lambda: None, fill_missing, G)
                return n, '%s resource' % res, {'averageValue': canon_milli(sh[1], fmt)}
            def fill_missing(p, reqs): return reqs[p] if self.minor <= 25 else tdiv(i64(reqs[p] * max(100, au)), 100)
            fill_missing.average = False
            n, sh = self.pods_rec(cur, mm, pods, res == 'cpu', lambda m, reqs: self.util(m, reqs, au), lambda: self.requests(pods, res, container), fill_missing, G)
            nm = '%s %sresource utilization (percentage of request)' % (res, 'container ' if container is not None and self.minor >= 27 else '')
            return n, nm, {'averageUtilization': sh[1], 'averageValue': canon_milli(sh[2], fmt)}
        except MErr as e: raise wrap(pre, e)

    def ready_pods(self, sel):
        pods = self.listed(sel)
        if not pods: raise MErr('unable to calculate ready pods: no pods returned by selector while calculating replica count')
        n = 0
        for p in pods:
            st = p.get('status') or {}
            if st.get('phase') == 'Running' and any(c['type'] == 'Ready' and c['status'] == 'True' for c in st.get('conditions') or []): n += 1
        return n

    def value_metric(self, cur, usage, tm, sel):
        r = fdiv(usage, tm)
        if cur == 0: return f2i32(ceilf(r))
        if self.within(r): return cur
        x = r * float(self.ready_pods(sel))
        if self.minor >= 35 and x > 2147483647: return 2147483647
        return f2i32(ceilf(x))

    def avgvalue_metric(self, srepl, usage, tm, ext):
        n = srepl
        r = fdiv(usage, float(tm) * float(srepl))
        if not self.within(r, per_pod=True):
            x = ceilf(fdiv(usage, tm))
            if ext and self.minor >= 34 and x > 2147483647: n = 2147483647
            else: n = f2i32(x)
        if self.minor >= 38:  # one rule for Object and External
            return n, (1 << 63) - 1 if float(usage) >= 9223372036854775807.0 else 0 if srepl == 0 else f2i64(ceilf(fdiv(usage, srepl)))
        return n, f2i64(ceilf(fdiv(usage, srepl)))

    # ------------------------------------------------------------ one metric
    def evaluate(self, m, cur, srepl, sel, G):
        t = m['type']
        if t == 'Resource':
            x = m['resource']
            try: n, name, c = self.resource_metric(cur, x['name'], None, x['target'], sel, G)
            except MErr as e: raise MErr(e.inner, 'FailedGetResourceMetric', 'failed to get %s resource metric value: %s' % (x['name'], e.inner))
            return n, name, {'type': t, 'resource': {'name': x['name'], 'current': c}}
        if t == 'ContainerResource':
            x = m['containerResource']
            if not self.g_container:
                try: self.resource_metric(cur, x['name'], x['container'], x['target'], sel, G)
                except MErr: pass
                e = 'ContainerResource metric type is not supported: disabled by the feature gate'
                raise MErr('', '', e)
            try: n, name, c = self.resource_metric(cur, x['name'], x['container'], x['target'], sel, G)
            except MErr as e: raise MErr(e.inner, 'FailedGetContainerResourceMetric', 'failed to get %s container metric value: %s' % (x['container'], e.inner))
            return n, name, {'type': t, 'containerResource': {'name': x['name'], 'container': x['container'], 'current': c}}
        if t == 'Pods':
            x = m['pods']; mn = x['metric']['name']
            try:
                try: mm = self.custom(mn, x['metric'].get('selector'), None)
                except MErr as e: raise MErr('unable to get metric %s: %s' % (mn, e.inner))
                pods = self.listed(sel)
                if not pods: raise MErr('no pods returned by selector while calculating replica count')
                tm = milli(x['target']['averageValue'])
                def fill_missing(p, prep): return tm
                fill_missing.average = True
                n, sh = self.pods_rec(cur, mm, pods, False, lambda m_, _: self.avg(m_, tm), lambda: None, fill_missing, G)
            except MErr as e: raise MErr(e.inner, 'FailedGetPodsMetric', 'failed to get pods metric value: ' + e.inner)
            return n, 'pods metric ' + mn, {'type': t, 'pods': {'metric': x['metric'], 'current': {'averageValue': canon_milli(sh[1])}}}
        if t == 'Object':
            x = m['object']; mn = x['metric']['name']; d = x['describedObject']; tg = x['target']
            def get():
                try: return self.custom(mn, x['metric'].get('selector'), d)
                except MErr as e:
                    if self.minor >= 37: raise MErr('unable to get metric %s on %s %s/%s: %s' % (mn, d['kind'], self.ns, d['name'], e.inner))
                    raise MErr('unable to get metric %s: %s on %s %s/%s' % (mn, d['kind'], self.ns, d['name'], e.inner))
            if tg['type'] == 'Value' and tg.get('value') is not None:
                try:
                    u = get(); n = self.value_metric(cur, u, milli(tg['value']), sel)
                except MErr as e: raise MErr(e.inner, 'FailedGetObjectMetric', 'failed to get object metric value: ' + e.inner)
                return n, '%s metric %s' % (d['kind'], mn), {'type': t, 'object': {'metric': x['metric'], 'describedObject': d, 'current': {'value': canon_milli(u)}}}
            if tg['type'] == 'AverageValue' and tg.get('averageValue') is not None:
                try:
                    u = get(); n, a = self.avgvalue_metric(srepl, u, milli(tg['averageValue']), False)
                except MErr as e: raise MErr(e.inner, 'FailedGetObjectMetric', 'failed to get object metric value: failed to get %s object metric: %s' % (mn, e.inner))
                o = {'metric': x['metric'], 'current': {'averageValue': canon_milli(a)}}
                o['describedObject'] = d if self.minor >= 33 else {'kind': '', 'name': ''}
                return n, 'external metric %s(%s)' % (mn, print_sel(x['metric'].get('selector'))), {'type': t, 'object': o}
            e = 'invalid object metric source: neither a value target nor an average value target was set'
            raise MErr(e, 'FailedGetObjectMetric', 'failed to get object metric value: ' + e)
        if t == 'External':
            x = m['external']; mn = x['metric']['name']; tg = x['target']; se = x['metric'].get('selector')
            name = 'external metric %s(%s)' % (mn, print_sel(se))
            def get():
                try: return self.external(mn, se)
                except MErr as e: raise MErr('unable to get external metric %s/%s/%s: %s' % (self.ns, mn, print_sel(se), e.inner))
            if tg.get('averageValue') is not None:
                try:
                    vals = get(); u = 0; neg = False
                    for v in vals:
                        u = i64(u + v)
                        if self.minor >= 34 and u < 0: u = (1 << 63) - 1; break
                    n, a = self.avgvalue_metric(srepl, u, milli(tg['averageValue']), True)
                    if self.minor >= 34:
                        if float(u) >= 9223372036854775808.0: a = (1 << 63) - 1
                except MErr as e: raise MErr(e.inner, 'FailedGetExternalMetric', 'failed to get %s external metric value: failed to get %s external metric: %s' % (mn, mn, e.inner))
                return n, name, {'type': t, 'external': {'metric': x['metric'], 'current': {'averageValue': canon_milli(a)}}}
            if tg.get('value') is not None:
                try:
                    u = 0
                    for v in get():
                        if self.minor >= 35 and u > 0 and v > 0 and u + v > (1 << 63) - 1: u = (1 << 63) - 1
                        else: u = i64(u + v)
                    n = self.value_metric(cur, u, milli(tg['value']), sel)
                except MErr as e: raise MErr(e.inner, 'FailedGetExternalMetric', 'failed to get %s external metric value: failed to get external metric %s: %s' % (mn, mn, e.inner))
                return n, name, {'type': t, 'external': {'metric': x['metric'], 'current': {'value': canon_milli(u)}}}
            e = 'invalid external metric source: neither a value target nor an average value target was set'
            raise MErr(e, 'FailedGetExternalMetric', 'failed to get %s external metric value: %s' % (mn, e))
        e = 'unknown metric source type %s' % ('"%s"' % t)
        raise MErr(e, 'InvalidMetricSourceType', e)

    # ------------------------------------------------------------ normalisation
    def legacy(self, desired, cur, mn, mx):
        res = desired; slot = None; cutoff = self.now - self.down_stab * SEC
        for i, (r, t) in enumerate(self.recs):
            if t < cutoff: slot = i
            else: res = max(res, r)
        self.store_rec(slot, desired)
        why = 'ScaleDownStabilized' if res != desired else 'ReadyForNewScale'
        self.cond('AbleToScale', 'True', why, SCALE_MSG[why])
        lim = f2i32(max(2.0 * cur, 4.0))
        allowed, ar = min(mx, lim), ('ScaleUpLimit' if mx > lim else 'TooManyReplicas')
        if res < mn: fin, why = mn, 'TooFewReplicas'
        elif res > allowed: fin, why = allowed, ar
        else: fin, why = res, 'DesiredWithinRange'
        self.cond('ScalingLimited', 'True' if fin != res else 'False', why, SCALE_MSG[why])
        return fin
    def store_rec(self, slot, n):
        if slot is None: self.recs.append([n, self.now])
        else: self.recs[slot] = [n, self.now]
    def evsum(self, evs, period): return sum(e[0] for e in evs if e[1] > self.now - period * SEC)
    def lim_up(self, rules, cur):
        if rules.get('selectPolicy') == 'Disabled': return cur
        out = []
        for p in rules['policies']:
            start = cur - self.evsum(self.up, p['periodSeconds']) + self.evsum(self.down, p['periodSeconds'])
            out.append(i32(start + p['value']) if p['type'] == 'Pods' else f2i32(ceilf(float(start) * (1 + float(p['value']) / 100))))
        return min(out) if rules.get('selectPolicy') == 'Min' else max(out)
    def lim_down(self, rules, cur):
        if rules.get('selectPolicy') == 'Disabled': return cur
        out = []
        for p in rules['policies']:
            start = cur - self.evsum(self.up, p['periodSeconds']) + self.evsum(self.down, p['periodSeconds'])
            out.append(i32(start - p['value']) if p['type'] == 'Pods' else f2i32(float(start) * (1 - float(p['value']) / 100)))
        return max(out) if rules.get('selectPolicy') == 'Min' else min(out)
    def with_behavior(self, desired, cur, mn, mx):
        b = self.behavior; su, sd = b['scaleUp'], b['scaleDown']
        dw = sd.get('stabilizationWindowSeconds')
        if dw is None: dw = self.down_stab
        uw = su.get('stabilizationWindowSeconds') or 0
        u = d = desired; slot = None
        uc, dc = self.now - uw * SEC, self.now - dw * SEC
        for i, (r, t) in enumerate(self.recs):
            if t > uc: u = min(u, r)
            if t > dc: d = max(d, r)
            if t < uc and t < dc: slot = i
        res = cur
        if res < u: res = u
        if res > d: res = d
        self.store_rec(slot, desired)
        why = 'ReadyForNewScale' if res == desired else 'ScaleUpStabilized' if desired >= cur else 'ScaleDownStabilized'
        self.cond('AbleToScale', 'True', why, SCALE_MSG[why])
        fin, why = res, 'DesiredWithinRange'
        if res > cur:
            L = max(self.lim_up(su, cur), cur)
            allowed, ar = min(mx, L), ('ScaleUpLimit' if mx > L else 'TooManyReplicas')
            if res > allowed: fin, why = allowed, ar
        elif res < cur:
            L = min(self.lim_down(sd, cur), cur)
            floor, ar = max(mn, L), ('ScaleDownLimit' if mn < L else 'TooFewReplicas')
            if res < floor: fin, why = floor, ar
        self.cond('ScalingLimited', 'True' if fin != res else 'False', why, SCALE_MSG[why])
        return fin
    def store_event(self, old, new):
        if self.behavior is None: return
        evs, rules = (self.up, self.behavior['scaleUp']) if new > old else (self.down, self.behavior['scaleDown'])
        longest = max(p['periodSeconds'] for p in rules['policies'])
        slot = None
        for i, e in enumerate(evs):
            if e[1] < self.now - longest * SEC: e[2] = True
            if e[2]: slot = i
        rec = [abs(new - old), self.now, False]
        if slot is None: evs.append(rec)
        else: evs[slot] = rec

    # ------------------------------------------------------------ selector validation
    def check_selector(self, text):
        if text == '':
            self.event('Warning', 'SelectorRequired', 'selector is required')
            self.cond('ScalingActive', 'False', 'InvalidSelector', "the HPA target's scale is missing a selector")
            raise MErr('selector is required')
        try: sel = parse_selector(text, self.minor)
        except SelErr as e:
            msg = "couldn't convert selector into a corresponding internal selector object: %s" % e
            self.event('Warning', 'InvalidSelector', msg)
            self.cond('ScalingActive', 'False', 'InvalidSelector', msg)
            raise MErr(msg)
        pods = self.listed(sel)
        hit = ['%s/%s' % (self.ns, self.name)] if pods else []
        for o in (self.s.get('otherAutoscalers') or []) if self.minor >= 26 else []:
            if o.get('namespace', self.ns) != self.ns: continue
            try: osel = parse_selector(o['selector'], self.minor)
            except SelErr: continue
            if any(sel_match(osel, p['metadata'].get('labels') or {}) for p in pods): hit.append('%s/%s' % (o['namespace'], o['name']))
        if len(hit) > 1:
            msg = 'pods by selector %s are controlled by ' % text + ('more than one HPA (e.g. [%s])' if self.minor >= 37 else 'multiple HPAs: [%s]') % ' '.join(sorted(hit))
            self.event('Warning', 'AmbiguousSelector', msg)
            self.cond('ScalingActive', 'False', 'AmbiguousSelector', msg)
            raise MErr(msg)
        return sel

    def all_metrics(self, cur, srepl, text, results):
        self.raw = None
        if not self.spec.get('metrics'): pass
        sel = self.check_selector(text)
        best = 0; name = ''; invalid = 0; first = None; firstcond = None
        n = len(self.spec.get('metrics') or [])
        for r in results:
            if r['err']:
                e = r['err']; invalid += 1
                if e.reason: self.event('Warning', e.reason, e.inner)
                if first is None: first = e
            elif best == 0 or r['n'] > best: best, name = r['n'], r['name']
        err = None
        if first is not None: err = 'invalid metrics (%d invalid out of %d), first error is: %s' % (invalid, n, first.outer)
        if invalid and (invalid >= n or best < cur):
            if first.reason: self.cond('ScalingActive', 'False', first.reason, 'the HPA was unable to compute the replica count: ' + first.inner)
            else: self.cond('', '', '', '')
            raise MErr(err)
        self.cond('ScalingActive', 'True', 'ValidMetricFound', 'the HPA was able to successfully calculate a replica count from ' + name)
        return best, name, err

    def run(self):
        s = self.s; out = {}
        st = self.hpa.get('status') or {}
        cur0, des0 = st.get('currentReplicas', 0), st.get('desiredReplicas', 0)
        t = self.spec['scaleTargetRef']; ref = '%s/%s/%s' % (t['kind'], self.ns, t['name'])
        out.update(currentReplicas=cur0, desiredReplicas=des0, rescale=False)
        sc = s['scale']
        scale = sc.get('response')
        # each metric on its own
        results = []
        if scale is not None:
            cur = scale['spec'].get('replicas', 0) or 0; srepl = (scale.get('status') or {}).get('replicas', 0) or 0
            text = (scale.get('status') or {}).get('selector') or ''
            try: sel = parse_selector(text, self.minor)
            except SelErr: sel = None
            for m in (self.spec.get('metrics') or []) if text != '' and sel is not None else []:
                G = {}; r = dict(G=G, err=None, type=m['type'])
                try: r['n'], r['name'], r['st'] = self.evaluate(m, cur, srepl, sel if sel is not None else [], G)
                except MErr as e: r['err'] = e
                results.append(r)
        out['metrics'] = []
        for i, r in enumerate(results):
            d = {'index': i, 'type': r['type']}
            if r['err']: d.update(error=r['err'].outer, reason=r['err'].reason)
            else: d.update(proposedReplicas=r['n'], name=r['name'], current=r['st'])
            d.update(r['G']); out['metrics'].append(d)
        self.results = results
        error = None
        if scale is None:
            e = sc.get('error') or ''
            self.event('Warning', 'FailedGetScale', e)
            self.cond('AbleToScale', 'False', 'FailedGetScale', "the HPA controller was unable to get the target's current scale: " + e)
            error = 'failed to query scale subresource for %s: %s' % (ref, e)
        else:
            error = self.after_scale(cur, srepl, text, ref, out)
        if error: out['error'] = error
        out['conditions'] = [{k: c.get(k) for k in ('type', 'status', 'reason', 'message')} for c in self.conds]
        out['events'] = self.events
        out['recommendationsAfter'] = [r[0] for r in self.recs]
        out['scaleUpEventsAfter'] = [e[0] for e in self.up]
        out['scaleDownEventsAfter'] = [e[0] for e in self.down]
        return out

    def after_scale(self, cur, srepl, text, ref, out):
        self.cond('AbleToScale', 'True', 'SucceededGetScale', "the HPA controller was able to get the target's current scale")
        if not self.recs: self.recs.append([cur, self.now - 1000])  # taken a moment before the other clock readings
        mn = self.spec.get('minReplicas'); mn = 1 if mn is None else mn
        mx = self.spec['maxReplicas']
        desired = cur; reason = ''; perr = None; metrics_branch = False
        S = self.g_zero and any(c['type'] == 'ScaledToZero' and c['status'] == 'True' for c in self.conds)
        out['currentReplicas'] = cur
        self.recommendation = -1
        if cur == 0:
            go = (mn == 0) if self.minor <= 35 else ((mn != 0 and S) or (S and self.has_oe))
            if go: metrics_branch = True
            else:
                desired = 0
                self.cond('ScalingActive', 'False', 'ScalingDisabled', 'scaling is disabled since the replica count of the target is zero')
                if self.minor >= 36 and not self.g_zero: self.conds = [c for c in self.conds if c['type'] != 'ScaledToZero']
        elif cur > mx: desired, reason = mx, 'Current number of replicas above Spec.MaxReplicas'
        elif cur < mn: desired, reason = mn, 'Current number of replicas below Spec.MinReplicas'
        else: metrics_branch = True
        if metrics_branch:
            try: n, name, perr = self.all_metrics(cur, srepl, text, self.results)
            except MErr as e:
                self.event('Warning', 'FailedComputeMetricsReplicas', e.inner)
                return 'failed to compute desired number of replicas based on listed metrics for %s: %s' % (ref, e.inner)
            self.recommendation = n
            desired = max(n, 0); nm = name if n > 0 else ''
            reason = '%s above target' % nm if desired > cur else 'All metrics below target' if desired < cur else ''
            self.recommendation = desired
            desired = self.legacy(desired, cur, mn, mx) if self.behavior is None else self.with_behavior(desired, cur, mn, mx)
            if self.minor >= 36 and cur == 0 and mn != 0 and S and desired < mn:
                desired = mn
                if not reason: reason = 'Current number of replicas below Spec.MinReplicas'
        if desired != cur:
            out['rescale'] = True; out['scaleTo'] = desired
            self.cond('AbleToScale', 'True', 'SucceededRescale', 'the HPA controller was able to update the target scale to %d' % desired)
            self.event('Normal', 'SuccessfulRescale', 'New size: %d; reason: %s' % (desired, reason))
            self.store_event(cur, desired)
            if self.minor >= 36:
                if not self.g_zero: self.conds = [c for c in self.conds if c['type'] != 'ScaledToZero']
                elif cur > 0 and desired == 0 and mn == 0 and self.has_oe:
                    self.cond('ScaledToZero', 'True', 'ScaledToZero', 'the HPA controller scaled the workload to zero')
                else: self.cond('ScaledToZero', 'False', 'NotScaledToZero', 'the HPA controller did not scale the workload to zero')
        out['desiredReplicas'] = desired
        return perr if self.minor >= 27 else None

def CONTAINER_GATE(m, g): return m >= 30 or m <= 26 or g.get("HPAContainerMetrics", True)

def reconcile(s): return Pass(s).run()

LABELKEY = 35
