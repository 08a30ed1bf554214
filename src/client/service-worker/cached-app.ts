import { SITE_NAME } from '#shared/site-name.ts'
import { ASSETS, SHELL_CACHE } from '#client/lib/offline/cache-names.ts'
import { cachedHeaders, listCached } from './record-store.ts'
import { assetsIn, assetsToDrop } from './records.ts'

/** Cache key of the app's document. */
const DOCUMENT = '/document'
/** An address with the app's document that no memorial has. */
const ANY_SCREEN = '/memorial/offline'
export const EMPTY_ROOT = '<div id="root"></div>'

export async function cacheAsset(url: string, answer: Response): Promise<void> {
  const cache = await caches.open(ASSETS)
  await cache.put(url, answer)
  const urls = (await cache.keys()).map((request) => request.url)
  const drop = assetsToDrop(urls, new Set())
  if (drop.length === 0) return
  const shell = await findShell()
  const named = new Set([
    ...assetsIn((await shell?.text()) ?? ''),
    ...(await listCached()).flatMap(({ assets }) => assets),
  ])
  for (const one of assetsToDrop(urls, named)) await cache.delete(one)
}

/**
 * Caches the app's document and the files that it needs to show a memorial, unless they are here. `assets`: what the page has loaded
 * of them, and its styles. The document comes last: without its files it would be an empty page.
 */
export async function cacheApp(assets: readonly string[], origin: string): Promise<void> {
  const shell = origin + ANY_SCREEN
  const isHere = await Promise.all([findShell(), ...assets.map((url) => caches.match(url))])
  if (isHere.every(Boolean)) return
  const answer = await fetch(shell)
  const html = await answer.clone().text()
  if (!html.includes(EMPTY_ROOT)) return
  for (const url of [...assets, ...assetsIn(html).map((file) => origin + file)]) {
    if (await caches.match(url)) continue
    const file = await fetch(url)
    if (file.status !== 200) return
    await cacheAsset(url, file)
  }
  await cacheShell(shell, html, answer)
}

export function findShell(): Promise<Response | undefined> {
  return caches.match(DOCUMENT, { cacheName: SHELL_CACHE })
}

/**
 * Description, Open Graph and Twitter tags, and the canonical address: an invitation's may name a person, and the token. And
 * what the page says without script.
 */
const ABOUT_ONE_PAGE = /<(?:meta \w+="(?:desc|og|tw)|link rel="can)[^>]*>|<main[^]*main>/gu

/** One document opens every screen of the app, with the strictest referrer policy, and names nobody. */
export async function cacheShell(url: string, html: string, answer: Response): Promise<void> {
  // Don't cache documents with the card form: they allow the payment provider's script.
  if (!answer.headers.get('Content-Security-Policy')?.includes('trusted-types')) return
  const shell = html.replaceAll(ABOUT_ONE_PAGE, '').replace(/<title>[^<]*/u, `<title>${SITE_NAME}`)
  const cached = new Response(shell, { headers: cachedHeaders(answer) })
  cached.headers.set('Referrer-Policy', 'no-referrer')
  const cache = await caches.open(SHELL_CACHE)
  await cache.put(new URL(DOCUMENT, url).href, cached)
}
