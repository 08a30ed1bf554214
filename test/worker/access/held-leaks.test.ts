import { expect, test } from 'vitest'
import { ALL_STATES, type State } from './held-items-stage.ts'
import { sweep, type Shown } from './held-sweep.ts'
import { sweptCalls, sweptPages } from './swept-addresses.ts'

const SHOWN: State[] = ['SHOWN']
/** Editors come upon nothing in its place but what waits. The rest is in the queue, and opens by its id. */
const WAITING: State[] = ['SHOWN', 'WAITING']

/** Where everybody who sees the memorial finds what they may see. */
const inPlace = (states: State[], photos = states): Shown => ({
  memorialBySlug: states,
  listComments: states,
  listMedia: photos,
  mediaStream: photos,
  '/memorial/:id': states,
  '/invite/:token': states,
})
/** The page that the edge caches is the same for everybody. */
const publicPage: Shown = { '/m/:slug': SHOWN }
const queue: Shown = {
  listHeld: ['WAITING', 'MAY_HURT'],
  listDecided: ['DECLINED'],
  listReported: ALL_STATES,
}
const owner: Shown = { ...inPlace(WAITING, ALL_STATES), ...queue, memorialExport: SHOWN }
/** Their pages are the app's, which makes the calls. */
const { '/memorial/:id': _, '/invite/:token': __, ...admin } = { ...inPlace(WAITING, ALL_STATES), ...queue }

const EXPECTED: Record<string, Shown> = {
  // By the invitation in the address, which anybody may have.
  'INVITE nobody': inPlace(SHOWN),
  'INVITE stranger': inPlace(SHOWN),
  'INVITE cousin': inPlace(SHOWN),
  'INVITE visitor': inPlace(SHOWN),
  'INVITE author': inPlace(ALL_STATES),
  // Known on the public page only.
  'INVITE writer': inPlace(SHOWN),
  'INVITE owner': owner,
  'INVITE admin': admin,
  'LOCKED nobody': { ...inPlace(SHOWN), ...publicPage },
  'LOCKED stranger': { ...inPlace(SHOWN), ...publicPage },
  'LOCKED cousin': { ...inPlace(SHOWN), ...publicPage },
  'LOCKED visitor': { ...inPlace(SHOWN), ...publicPage },
  'LOCKED author': { ...inPlace(ALL_STATES), ...publicPage },
  'LOCKED writer': {
    ...inPlace(ALL_STATES, SHOWN),
    ...publicPage,
    visitorWords: ALL_STATES.slice(1),
    '/m/:slug/words': ALL_STATES.slice(1),
  },
  // All that is stored for the account, also what they have declined.
  'LOCKED owner': { ...owner, ...publicPage, exportAccount: ALL_STATES },
  'LOCKED admin': { ...admin, ...publicPage, adminActivity: ALL_STATES, adminReports: ALL_STATES },
}

test(
  'no call and no page shows what is held to anybody but its author and the editors',
  {
    tags: [
      'held-hidden',
      'held-comment-hidden',
      'held-media-hidden',
      'held-never-cached',
      'held-not-in-gallery',
      'held-names-nobody',
      'held-starts-no-page',
      'held-not-in-guestbook',
      'held-not-alone',
      'held-files-not-exported',
      'held-words-not-exported',
      'held-files-not-counted',
      'held-words-not-counted',
      'held-is-no-news',
      'own-words-only',
    ],
  },
  async () => {
    const { shown, leaks, cached, counts } = await sweep()
    expect(leaks).toEqual([])
    expect(shown).toEqual(EXPECTED)
    expect(cached).toEqual([])
    const { news, ...others } = counts.before
    // The owner hears of the three that wait, and of the two who added them.
    expect(counts.after).toEqual({ ...others, news: { items: news.items + 3, people: news.people + 2 } })
  },
)

/** Sources that say which paths the Worker answers beside its calls. */
const SOURCES = import.meta.glob<string>(
  [
    '../../../src/worker/*.ts',
    '../../../src/worker/pages/*.ts',
    '../../../src/worker/http/*.ts',
    '../../../src/worker/features/{mail,previews}/*.ts',
  ],
  { query: '?raw', import: 'default', eager: true },
)

test('every path that the Worker knows is among those that are asked', () => {
  const place = { memorial: { id: 'mem_a', slug: 'grace-k7q2mx' }, invite: 'a', eventId: 'evt_a' }
  const asked = [...sweptCalls(place), ...sweptPages(place)].map(({ path }) => path.split('?')[0] ?? '')
  const patterns = Object.values(SOURCES).flatMap((source) =>
    [...source.matchAll(/\/(\^\\\/.*)\/[iu]+\b/gu)].map(([, pattern = '']) => pattern),
  )
  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((pattern) => !asked.some((path) => new RegExp(pattern, 'iu').test(path)))).toEqual(
    [],
  )
})
