const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d9d5cd, #3b3934); --soft: light-dark(#6b655b, #a8a196);
  --paper: light-dark(#fbfaf7, #1b1a18); --card: light-dark(#fff, #24221f); --link: light-dark(#1f5a4a, #7fc8b0); }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 52rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif;
  background: var(--paper); overflow-wrap: anywhere }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; margin-bottom: 1rem }
h1 { font-size: 1.35rem; margin: 0; flex: 1 1 auto }
h2 { font-size: 1rem; margin: 1.5rem 0 .5rem }
a { color: var(--link) }
nav { display: flex; gap: 1rem }
form { display: flex; gap: .5rem; margin: 0 }
form { flex-wrap: wrap }
label { flex: 1; display: grid; gap: .25rem; font-size: .875rem; color: var(--soft) }
input, select, button { font: inherit; min-height: 2.75rem; padding: 0 .75rem; border: 1px solid var(--line); border-radius: .5rem;
  background: var(--card); color: inherit; min-width: 0 }
button { align-self: end; cursor: pointer }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px }
ul.list { list-style: none; margin: 1rem 0; padding: 0; border: 1px solid var(--line); border-radius: .5rem; background: var(--card) }
ul.list > li { border-top: 1px solid var(--line) }
ul.list > li:first-child { border-top: 0 }
ul.list > li > a, ul.list > li > div { display: block; padding: .75rem 1rem; color: inherit; text-decoration: none }
ul.list > li > a:hover strong { text-decoration: underline }
.soft { color: var(--soft); font-size: .875rem }
.row { display: flex; flex-wrap: wrap; gap: .25rem 1rem; justify-content: space-between; align-items: center }
pre { white-space: pre-wrap; margin: .5rem 0; font: .875rem/1.5 ui-monospace, monospace }
.card { border: 1px solid var(--line); border-radius: .5rem; background: var(--card); padding: .25rem 1rem }
iframe { width: 100%; height: 34rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff; color-scheme: light }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0 }
dt { color: var(--soft) } dd { margin: 0 }
`

/** A complete page. `main` must be HTML; the title is escaped here. */
export function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>
<nav aria-label="Sandbox"><a href="/mailbox">Mailbox</a><a href="/webhooks">Webhooks</a><a href="/phone">Phones</a></nav>
</header>
<main>
${main}
</main>
</body>
</html>
`
}

/** Escapes text for elements and attributes. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

/** A `<time>` element with a readable date in UTC, for example `21 Nov 2026, 09:05:12 UTC`. */
export function timeTag(moment: Date): string {
  const shown = moment.toLocaleString('en-GB', { timeZone: 'UTC', dateStyle: 'medium', timeStyle: 'medium' })
  return `<time datetime="${moment.toISOString()}">${shown} UTC</time>`
}
