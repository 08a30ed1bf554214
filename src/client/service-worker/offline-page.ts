import { offlinePageMessages as texts } from '#shared/pages/offline-messages.ts'
import { SITE_NAME } from '#shared/site-name.ts'
import { ASSETS } from '#client/lib/offline/cache-names.ts'
import type { CachedMemorial } from './records.ts'

/** The product's design in few bytes; colours and sizes match `styles/tokens.css`. */
const STYLE = `:root{color-scheme:light dark;--paper:#fbf9f5;--ink:#22201c;--muted:#5c564d;--line:#ddd6ca;--accent:#8a3b24;--focus:#0b57a4}
@media(prefers-color-scheme:dark){:root{--paper:#171512;--ink:#f1ece4;--muted:#b7aea1;--line:#3a352e;--accent:#e9a27f;--focus:#9cc4f5}}
*{box-sizing:border-box}body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 system-ui,sans-serif}
header,main{max-width:36rem;margin:0 auto;padding:0 1rem}header,h1,h2,li a{font-family:'Source Serif 4',Georgia,serif;font-weight:600;overflow-wrap:anywhere}
header{padding:1rem;line-height:1.5rem}main{padding-top:2rem;padding-bottom:4rem}h1{margin:0 0 1rem;font-size:1.75rem;line-height:1.2}h2{margin:2.5rem 0 .5rem;font-size:1.25rem}p{margin:0 0 1.5rem}
ul{margin:0;padding:0;list-style:none;border-bottom:1px solid var(--line)}li{border-top:1px solid var(--line)}li a{display:block;padding:.75rem 0;font-size:1.125rem;line-height:1.5rem}a{color:var(--accent)}
a:focus-visible{outline:3px solid var(--focus)}.button{display:inline-block;min-height:2.75rem;padding:.5rem 1.25rem;border:1px solid currentColor;border-radius:.375rem;color:var(--ink);font-weight:600;text-decoration:none}`

/** The page for an address that cannot be shown offline: why, a retry link, and the memorials on this device. */
export async function renderOfflinePage(memorials: readonly CachedMemorial[]): Promise<Response> {
  const list = memorials
    .map(({ path, name }) => `<li><a href="${escapeHtml(path)}">${escapeHtml(name)}</a></li>`)
    .join('')
  const style = (await fontFace()) + STYLE
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${texts.title} · ${SITE_NAME}</title><style>${style}</style></head>
<body><header>${SITE_NAME}</header><main><h1>${texts.title}</h1><p>${texts.text}</p><a class="button" href="">${texts.tryAgain}</a>${list && `<h2>${texts.listTitle}</h2><ul>${list}</ul>`}</main></body></html>`
  return new Response(html, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': `default-src 'none'; style-src '${await cspHash(style)}'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** The heading font, if a page has cached it. */
async function fontFace(): Promise<string> {
  const assets = await caches.open(ASSETS)
  const font = (await assets.keys()).find(({ url }) => url.includes('/source-serif-4-latin-600-normal'))
  return font
    ? `@font-face{font-family:'Source Serif 4';font-weight:600;src:url(${new URL(font.url).pathname})}`
    : ''
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (sign) => `&#${sign.codePointAt(0)};`)
}

/** CSP hash of an inline style: https://www.w3.org/TR/CSP3/#grammardef-hash-source */
async function cspHash(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`
}
