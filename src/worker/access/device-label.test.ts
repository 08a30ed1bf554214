import { expect, test } from 'vitest'
import { countryName, countryOf, deviceOf } from '#worker/access/device-label.ts'

const label = (agent: string | null) =>
  deviceOf({ headers: new Headers(agent === null ? {} : { 'User-Agent': agent }) })

test('a device is named by its browser and its system', () => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64)'
  const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)'
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)'
  const iphone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)'
  const table: Record<string, string> = {
    [`${android} Chrome/126.0.0.0 Mobile Safari/537.36`]: 'Chrome on Android',
    [`${android} SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36`]: 'Samsung Internet on Android',
    [`${android} Chrome/126.0.0.0 Mobile Safari/537.36 OPR/83.0`]: 'Opera on Android',
    [`${android} Version/4.0 UCBrowser/13.4 Mobile Safari/537.36`]: 'UC Browser on Android',
    'Opera/9.80 (Android; Opera Mini/36.2/119.132; U; id) Presto/2.12.423 Version/12.16': 'Opera on Android',
    'Mozilla/5.0 (Android 14; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0': 'Firefox on Android',
    [`${iphone} Version/17.5 Mobile/15E148 Safari/604.1`]: 'Safari on iPhone',
    [`${iphone} CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1`]: 'Chrome on iPhone',
    [`${iphone} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`]: 'Firefox on iPhone',
    [`${iphone} Mobile/15E148 [FBAN/FBIOS;FBAV/465.0]`]: 'Facebook on iPhone',
    [`${mac} Version/17.5 Safari/605.1.15`]: 'Safari on Mac',
    [`${windows} Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0`]: 'Edge on Windows',
    [`${windows} Chrome/126.0.0.0 Safari/537.36`]: 'Chrome on Windows',
    [`${linux} AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/126.0.0.0 Safari/537.36`]:
      'Chrome on Linux',
    'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5': 'Firefox on KaiOS',
    'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/126.0.0.0 Safari/537.36':
      'Chrome on ChromeOS',
  }
  expect(Object.fromEntries(Object.keys(table).map((agent) => [agent, label(agent)]))).toEqual(table)
})

test('of an unknown or hostile User-Agent only known names are kept', () => {
  const hostile = '<img src=x onerror=alert(1)> Your bank, call 0800 Chrome/1 '
  expect([null, '', 'curl/8.5.0', hostile, `Windows${' '.repeat(9000)}`].map(label)).toEqual([
    null,
    null,
    null,
    'Chrome',
    'Windows',
  ])
})

test('a country comes from Cloudflare only, and has a name or none', () => {
  const seen = (cf: unknown) => countryOf({ cf: cf as NonNullable<Request['cf']> })
  const codes = [{ country: 'ZW' }, { country: 'T1' }, { country: 'XX' }, { country: 7 }, {}, undefined]
  expect(codes.map(seen)).toEqual(['ZW', null, null, null, null, null])
  expect(['ZW', 'GB', 'ZA', 'QQ'].map(countryName)).toEqual([
    'Zimbabwe',
    'United Kingdom',
    'South Africa',
    null,
  ])
})
