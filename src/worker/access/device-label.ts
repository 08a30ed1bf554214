/** What the User-Agent of a browser has in it, the more particular first: nearly all of them also say Chrome or Safari. */
const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//u, 'Edge'],
  [/\bSamsungBrowser\//u, 'Samsung Internet'],
  [/\b(?:OPR|OPT|Opera|Opera Mini)\/|^Opera/u, 'Opera'],
  [/\bUC ?Browser\//u, 'UC Browser'],
  [/\b(?:FBAN|FBAV|FB_IAB)\b/u, 'Facebook'],
  [/\bFirefox\/|\bFxiOS\//u, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\//u, 'Chrome'],
  [/\bVersion\/[\d.]+ (?:Mobile\/\w+ )?Safari\//u, 'Safari'],
]
const SYSTEMS: [RegExp, string][] = [
  [/\biPhone\b/u, 'iPhone'],
  [/\biPad\b/u, 'iPad'],
  [/\bAndroid\b/u, 'Android'],
  [/\bKAIOS\//u, 'KaiOS'],
  [/\bCrOS\b/u, 'ChromeOS'],
  [/\bWindows\b/u, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/u, 'Mac'],
  [/\bLinux\b/u, 'Linux'],
]
const COUNTRY = /^[A-Z]{2}$/u

const nameIn = (list: [RegExp, string][], text: string) => list.find(([sign]) => sign.test(text))?.[1] ?? null

/**
 * A browser's name in words: `Chrome on Android`, or what of it is known; else null. Made only of the names above, so nothing that
 * somebody sends gets into anybody's list.
 */
export function deviceOf({ headers }: Pick<Request, 'headers'>): string | null {
  const agent = (headers.get('User-Agent') ?? '').slice(0, 500)
  const [browser, system] = [nameIn(BROWSERS, agent), nameIn(SYSTEMS, agent)]
  return browser && system ? `${browser} on ${system}` : (browser ?? system)
}

/**
 * The country that Cloudflare sees the request come from: two letters, null if unknown and for Tor (`T1`). Not from
 * `CF-IPCountry`, which a client could send itself where the zone doesn't set it.
 */
export function countryOf({ cf }: Pick<Request, 'cf'>): string | null {
  const country = cf?.['country']
  return typeof country === 'string' && COUNTRY.test(country) && country !== 'XX' ? country : null
}

/** `Zimbabwe` for `ZW`; null for a code that nobody uses. */
export function countryName(code: string): string | null {
  return new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }).of(code) ?? null
}
