import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from '@playwright/test'
import type { PublicMemorialView } from '../../../src/shared/memorials/memorials.ts'
import { BROWSER_ARGS, requireBrowser } from '../../build/lib/browser.ts'
import type { Stack } from '../../operate/local/stack.ts'
import { account, paidMemorial } from '../../operate/seed.ts'
import { TENDAI } from '../../operate/demo/texts.ts'
import { barePage } from './bare-page.ts'
import { cameraPhoto } from './camera-photo.ts'
import { fillWithPhotos } from './photo-memorial.ts'
import { visitAgain, type SecondVisit } from './second-visit.ts'
import { JOURNEYS, tap } from './taps.ts'
import { NETWORKS, visit, type Texts, type Visit } from './visit.ts'
import { startMeasured } from '../world.ts'
import { median, report, rounded } from '../results.ts'

const RUNS = 5
const OWNER = { email: 'owner@family.example', firstName: 'Rudo', lastName: 'Moyo' }

/** What each page needs to be visited; the address from the memorials of the run. */
type Made = { slug: string; token: string; texts: Texts; cookie: string }
const PAGES: Record<string, (made: Made) => Visit> = {
  public: ({ slug, texts }) => ({ path: `/m/${slug}`, dpr: 2, texts }),
  'public-3x': ({ slug, texts }) => ({ path: `/m/${slug}`, dpr: 3, texts }),
  'public-less-data': ({ slug, texts }) => ({
    path: `/m/${slug}`,
    dpr: 3,
    texts,
    headers: { 'Save-Data': 'on' },
  }),
  bare: ({ texts }) => ({ path: '/bench/page', dpr: 2, texts }),
  invite: ({ token, texts }) => ({ path: `/invite/${token}`, dpr: 2, texts }),
  login: () => ({ path: '/login', dpr: 2 }),
  register: () => ({ path: '/register', dpr: 2 }),
  faq: () => ({ path: '/faq', dpr: 2 }),
  contact: () => ({ path: '/contact', dpr: 2 }),
  terms: () => ({ path: '/terms', dpr: 2 }),
  landing: () => ({ path: '/', dpr: 2 }),
  checkout: ({ cookie }) => ({ path: '/checkout', dpr: 2, cookie }),
}
/** Pages that somebody opens again: the app's document with a session, and written ones. */
const AGAIN: Record<string, (made: Made) => SecondVisit> = {
  'second-visit': ({ cookie }) => ({ path: '/dashboard', cookie }),
  'second-visit-invite': ({ token }) => ({ path: `/invite/${token}` }),
  'second-visit-login': () => ({ path: '/login' }),
}
/** The names of all pages and journeys that can be measured. */
export const PHONE_PAGES: readonly string[] = [PAGES, AGAIN, JOURNEYS].flatMap(Object.keys)

type Row = {
  line: string
  page: string
  measure: () => Promise<Record<string, number>>
  runs: Record<string, number>[]
}

/** The median of the runs, and after "±" half the range. */
function summary(runs: readonly Record<string, number>[]): Record<string, string> {
  return Object.fromEntries(
    Object.keys(runs[0] ?? {}).map((name) => {
      const values = runs.map((run) => run[name] ?? 0)
      const half = (Math.max(...values) - Math.min(...values)) / 2
      return [name, `${rounded(median(values))} ±${rounded(half)}`]
    }),
  )
}

/** The ends of the story's first paragraph and of the newest message. If they are visible, the text before them is too. */
function textsOf({ memorial, comments }: PublicMemorialView): Texts {
  const paragraph = /<p>([^<]+)<\/p>/u.exec(memorial.lifeStory ?? '')?.[1] ?? ''
  return { story: paragraph.slice(-30), message: (comments[0]?.body ?? '').slice(-20) }
}

/**
 * Measures first visits with a phone on slow networks: paint times and bytes of each page that people reach from outside. The
 * memorials have the same content (see `fillWithPhotos`), and so has a bare page: HTML, one inline style sheet and the same photos.
 * Then measures second visits, and how long it takes from the tap on an invitation until a message, or a photo, is there. All take turns, so that
 * other load affects all. The runtime compresses text as the edge does.
 */
export async function measurePhone(wanted: readonly string[] = [], runs = RUNS): Promise<void> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'nhaka-bench-'))
  await using stack = await startMeasured(folder.path)
  await using browser = await chromium.launch({ executablePath: requireBrowser(), args: BROWSER_ARGS })
  const { url } = stack
  await using page = await browser.newPage()
  const made = await makeMemorials(stack, page)
  const photo = await cameraPhoto(page)
  const rows: Row[] = []
  const addRow = (line: string, name: string, measure: Row['measure']) => {
    if (wanted.length === 0 || wanted.includes(name)) rows.push({ line, page: name, measure, runs: [] })
  }
  for (const network of NETWORKS) {
    const add = (name: string, measure: Row['measure']) => addRow(network.line, name, measure)
    for (const [name, visitOf] of Object.entries(PAGES))
      add(name, () => visit(browser, url, visitOf(made), network))
    for (const [name, journey] of Object.entries(JOURNEYS))
      add(name, () => tap({ browser, url, network, journey, photo, path: `/invite/${made.token}` }))
  }
  for (const [name, visitOf] of Object.entries(AGAIN))
    addRow('no limit', name, () => visitAgain(browser, url, visitOf(made)))
  for (let run = -1; run < runs; run++) {
    for (const row of rows) {
      const measured = await row.measure()
      // The first run of each does not count: the server creates image variants and loads code.
      if (run >= 0) row.runs.push(measured)
    }
  }
  report(
    'phone',
    rows.map(({ line, page: name, runs: all }) => Object.assign({ line, page: name }, summary(all))),
  )
}

/** A public and an invite-only memorial with the same content, and the bare page of the first. */
async function makeMemorials(stack: Stack, page: Page): Promise<Made> {
  const { url, sandboxUrl } = stack
  const owner = await account(url, sandboxUrl, OWNER)
  const open = await paidMemorial(owner, sandboxUrl, TENDAI)
  await fillWithPhotos(stack, owner, open.id, page)
  await owner.call('PATCH', `/api/memorials/${open.id}/privacy`, { privacy: 'LOCKED' })
  const invited = await paidMemorial(owner, sandboxUrl, TENDAI)
  const { token } = await fillWithPhotos(stack, owner, invited.id, page)
  const view = await owner.call<PublicMemorialView>('GET', `/api/memorial/${open.slug}`)
  await fetch(`${url}/bench/page`, { method: 'PUT', body: barePage(view) })
  return { slug: open.slug, token, texts: textsOf(view), cookie: owner.cookie }
}
