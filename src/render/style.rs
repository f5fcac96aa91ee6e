//! How a page of `-o html` looks: from a phone's width to paper, in the light and the
//! dark, with a focus that is seen.

/// The style sheet.
pub(super) const STYLE: &str = r#":root{color-scheme:light dark;--fg:#1b1b1f;--bg:#fff;--faint:#5c5c66;--line:#d0d0d8;--soft:#f4f4f7;--focus:#1a5fd0}
@media(prefers-color-scheme:dark){:root{--fg:#e8e8ee;--bg:#16161a;--faint:#a6a6b2;--line:#3a3a44;--soft:#202026;--focus:#8ab4ff}}
*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:64rem;margin:0 auto;padding:1rem}
h1{font-size:1.3rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.1rem;margin:2rem 0 .5rem}h3,h4{font-size:1rem;margin:1rem 0 .25rem}
p,li,dd,dt{overflow-wrap:anywhere}p{margin:.5rem 0;max-width:48rem}ul{padding-left:1.25rem;margin:.5rem 0}li>p{margin:.25rem 0}
.faint{color:var(--faint);font-size:.875rem}
a{color:inherit}:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
pre,dd>code{display:block;font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--soft);border:1px solid var(--line);border-radius:4px;padding:.5rem;margin:.5rem 0}
table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.5rem 0}
th,td{padding:.25rem 1.25rem .25rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--line);overflow-wrap:break-word}
th:first-child,td:last-child{overflow-wrap:anywhere;min-width:7rem}
thead th{color:var(--faint);font-size:.8rem}tbody th{font-weight:600}.n{text-align:right;white-space:nowrap}tr.note td{color:var(--faint);font-size:.875rem;padding-left:1rem}
dl{display:grid;grid-template-columns:minmax(6rem,max-content) minmax(0,1fr);gap:.15rem 1rem;margin:.5rem 0}
dt{grid-column:1;font-weight:600;max-width:16rem}dd{grid-column:2;margin:0}.cols{font:.875rem/1.5 ui-monospace,monospace;white-space:pre-wrap}
figure{margin:0;display:grid;grid-template-columns:auto minmax(0,1fr);gap:.25rem .5rem;color:var(--faint);font-size:.875rem}
.plot{position:relative;padding-top:1.3rem}.plot>svg{width:100%;height:14rem;display:block;border:1px solid var(--line);border-width:0 0 1px 1px}
.flag{position:absolute;top:0;transform:translateX(-50%);font-size:.75rem;line-height:1.2rem;min-width:1.2rem;text-align:center;color:var(--fg);border:1px solid var(--fg);border-radius:3px;background:var(--bg)}
.axis{display:flex;flex-direction:column;justify-content:space-between;text-align:right;line-height:1;padding-top:1.3rem}
figcaption,.legend,.ticks{grid-column:2}.ticks{position:relative;height:1.3rem;font-size:.8rem}.ticks>span{position:absolute;transform:translateX(-50%);white-space:nowrap}.grid{stroke:var(--line);stroke-width:1;fill:none}.paper{display:none}figcaption{display:flex;justify-content:space-between}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1.25rem;padding:0;margin:.25rem 0}
path{vector-effect:non-scaling-stroke}.area{fill:#7aa2f7;stroke:#7aa2f7;opacity:.45}.shade{fill:var(--line);opacity:.6}.run{fill:none;stroke-width:2}.mark{stroke:var(--fg);stroke-width:1;stroke-dasharray:2 4;fill:none}
.key{display:inline-block;width:2.5rem;height:.5rem}.marks{padding-left:1.75rem;margin:.5rem 0}
.r0{stroke:#3b6fd4;stroke-width:5;opacity:.6}.r1{stroke:#d4703b;stroke-dasharray:7 3}.r2{stroke:#2a9d74;stroke-dasharray:2 3}.r3{stroke:#b05fc9;stroke-dasharray:9 3 2 3}
.r4{stroke:#b8860b}.r5{stroke:#2f9fc4;stroke-dasharray:14 4}.r6{stroke:#d1495b;stroke-dasharray:3 5}.r7{stroke:#7d7d88;stroke-dasharray:14 3 3 3 3 3}
.filter{border:1px solid var(--line);border-radius:4px;padding:.25rem .75rem .5rem;margin:.5rem 0;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem}
@supports not selector(:has(a)){.filter{display:none}}
.filter:has(#change:checked)~.passes>li:not(.change,:has(>details>:target)),.filter:has(#finding:checked)~.passes>li:not(.finding,:has(>details>:target)),.filter:has(#difference:checked)~.passes>li:not(.difference,:has(>details>:target)){display:none}
.passes{list-style:none;padding:0;margin:.5rem 0}.passes>li{display:block;border-bottom:1px solid var(--line)}
.line{display:grid;grid-template-columns:1rem 13rem minmax(0,1fr);gap:0 .5rem;padding:.35rem 0}.line::before{content:""}
summary{cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}summary::before{content:"▸"!important}details[open]>summary::before{content:"▾"!important}
summary:hover{background:var(--soft)}.when{font-variant-numeric:tabular-nums;color:var(--faint)}
.tag{font-size:.75rem;border:1px solid currentColor;border-radius:3px;padding:0 .3rem;margin-left:.25rem;white-space:nowrap}
.pass{border-left:3px solid var(--line);padding:0 0 .75rem 1rem;margin:.25rem 0 .5rem .4rem}
@media(max-width:56rem){th,td{padding-right:.6rem}th:first-child{min-width:5.5rem}}
@media(max-width:44rem),screen and (max-width:50rem){thead{display:none}table,tbody,tr{display:block}tr{padding:.5rem 0;border-bottom:1px solid var(--line)}
tbody th,td,.n{display:flex;gap:1.5rem;justify-content:space-between;border:0;padding:0;text-align:right;white-space:normal}tbody th{text-align:left}
td::before,tbody th::before{content:attr(data-title);color:var(--faint);font-weight:400;flex:none;text-align:left}tr.note td{display:block;text-align:left;padding:0}
dl{display:block}dd{margin:0 0 .35rem}dt{max-width:none}.line{grid-template-columns:1rem minmax(0,1fr)}.line>*{grid-column:2}.line::before{grid-row:1}.plot>svg{height:11rem}.ticks>span:nth-child(even){display:none}.pass{padding-left:.6rem}}
@media print{:root{color-scheme:light;--fg:#000;--bg:#fff;--faint:#444;--line:#999;--soft:#f4f4f4}body{font-size:10pt;max-width:none;padding:0}
.filter,.paper+.passes>li:not(:has(table)),.paper+.passes>li:nth-child(n+201 of :has(table)){display:none}.paper{display:block}details::details-content{content-visibility:visible!important;block-size:auto!important;height:auto!important}figure,tr,summary,pre{break-inside:avoid}h2,h3,summary{break-after:avoid}}"#;
