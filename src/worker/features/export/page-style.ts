/** The style of `index.html`: colours and sizes of the memorial page, without its fonts, which would be extra files. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--paper:#fbf9f5;--surface:#fff;--sunken:#f2eee6;--ink:#22201c;--muted:#5c564d;--line:#ddd6ca;--accent:#8a3b24;--positive:#2f5d46;--positive-soft:#e4eee7;--focus:#0b57a4;
--serif:'Source Serif 4','Iowan Old Style','Palatino Linotype','Noto Serif',Georgia,serif;--sans:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',sans-serif}
@media (prefers-color-scheme:dark){:root{--paper:#171512;--surface:#211e1a;--sunken:#100e0c;--ink:#f1ece4;--muted:#b7aea1;--line:#3a352e;--accent:#e9a27f;--positive:#8fc3a3;--positive-soft:#1d2b23;--focus:#8ab8f5}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:400 1.0625rem/1.5 var(--sans);overflow-wrap:anywhere}
h1,h2,h3{margin:0;font-family:var(--serif);font-weight:600;line-height:1.2;text-wrap:balance}
h1{font-size:2.125rem;line-height:1.1;letter-spacing:-.012em}
h2{margin:2.5rem 0 1rem;font-size:1.5rem}
h3{margin:1.5rem 0 .75rem;font-size:1.25rem}
p{margin:0 0 1rem;text-wrap:pretty}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible{outline:3px solid var(--focus);outline-offset:2px}
.page{max-width:60rem;margin:0 auto;padding:1rem 1rem 4rem}
.notice{padding:1rem;border-radius:.375rem;background:var(--sunken)}
.notice p{margin:0}
.hero{padding:1rem 0;text-align:center}
.portrait{display:block;width:min(17.5rem,78vw);aspect-ratio:4/5;margin:.5rem auto 1.75rem;border-radius:.25rem;background:var(--sunken);object-fit:cover;object-position:50% 30%;box-shadow:0 0 0 .5rem var(--surface),0 0 0 calc(.5rem + 1px) var(--line)}
.initials{display:grid;place-items:center;color:var(--muted);font:600 5rem/1 var(--serif)}
.dates{margin:.5rem 0 0;color:var(--muted)}
.sentence{max-width:34rem;margin:1rem auto 0;font:italic 400 1.25rem/1.4 var(--serif)}
.rule{width:4rem;height:1px;margin:1.5rem auto 0;border:0;background:var(--accent)}
nav{display:flex;flex-wrap:wrap;justify-content:center;gap:0 1.5rem;border-block:1px solid var(--line)}
nav a{display:inline-flex;align-items:center;min-height:2.75rem}
.story{max-width:38rem;font:400 1.125rem/1.65 var(--serif)}
.story h2,.story h3{margin:1.25em 0 .5em;font-size:1.25rem}
.story blockquote{margin:0 0 1em;padding-left:1rem;border-left:2px solid var(--accent);font-style:italic}
.story ul,.story ol{margin:0 0 1em;padding-left:1.5em}
.story>:first-child{margin-top:0}
.card{max-width:38rem;margin:0 0 1rem;padding:1rem;border:1px solid var(--line);border-radius:.75rem;background:var(--surface)}
.card h3{margin:0 0 .25rem;font:600 1.125rem/1.3 var(--sans)}
.card p{margin:.25rem 0 0;color:var(--muted)}
.card .strong{color:var(--ink);font-weight:600}
.lines{white-space:pre-line}
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(9rem,100%),1fr));gap:1rem .75rem;margin:0;padding:0;list-style:none}
.grid a{display:block}
.grid img{display:block;width:100%;height:auto;aspect-ratio:1;border-radius:.25rem;background:var(--sunken);object-fit:cover;object-position:50% 30%}
.credit{margin:.375rem 0 0;color:var(--muted);font-size:.9375rem}
.caption{display:block;color:var(--ink)}
.item{max-width:38rem;margin:0 0 1.5rem}
.item p{margin:0 0 .5rem}
.item .name{font-weight:600}
.item .facts{color:var(--muted);font-weight:400}
video{display:block;width:100%;height:auto;max-height:80vh;border-radius:.25rem;background:#141210}
audio{display:block;width:100%}
.gone{display:grid;place-items:center;aspect-ratio:1;margin:0;padding:.5rem;border-radius:.25rem;background:var(--sunken);color:var(--muted);font-size:.9375rem;text-align:center}
.item .gone{aspect-ratio:auto;padding:1rem}
.messages{max-width:38rem;margin:0;padding:0;list-style:none}
.messages li{padding:1.5rem 0 1rem;border-top:1px solid var(--line)}
.messages .lines{margin:0;font:400 1.125rem/1.55 var(--serif)}
.meta{margin:.5rem 0 0;color:var(--muted);font-size:.9375rem}
.author{color:var(--ink);font-weight:600}
.family{display:inline-block;padding:.0625rem .5rem;border-radius:1rem;background:var(--positive-soft);color:var(--positive);font-size:.8125rem;font-weight:600}
footer{max-width:38rem;margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line);color:var(--muted);font-size:.9375rem}
@media (min-width:60rem){h1{font-size:3rem}h2{font-size:1.75rem}.page{padding-inline:2rem}.hero{display:grid;grid-template-columns:18rem minmax(0,1fr);gap:3rem;align-items:center;padding:2rem 0;text-align:left}.portrait{width:100%;margin:0}.sentence,.rule{margin-inline:0}.grid{grid-template-columns:repeat(4,minmax(0,1fr))}}
@media print{:root{color-scheme:light;--paper:#fff;--surface:#fff;--sunken:#f2eee6;--ink:#000;--muted:#444;--line:#bbb;--accent:#8a3b24}body{font-size:11pt}nav,video,audio,.notice{display:none}.page{max-width:none;padding:0}.grid{display:block;columns:2;column-gap:1rem}.grid li{margin-bottom:1rem;break-inside:avoid}.grid img{aspect-ratio:auto;max-height:12cm;object-fit:contain}.card,.messages li,.item{break-inside:avoid}h2,h3{break-after:avoid}}
`.trim()
