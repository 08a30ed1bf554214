import type { ExportPlan } from '#shared/export.ts'
import type { Dashboard, Privacy } from '#shared/memorials/memorials.ts'
import { memorials } from '#worker/schema/memorials.table.ts'
import { newIp } from '../harness.ts'
import { changeRows } from '../rows.ts'
import {
  ALL_STATES,
  HELD_STATES,
  HIDDEN_PERSON,
  LOCKED_AT,
  markOf,
  OUTSIDERS,
  stageOf,
  VIEWERS,
  type HeldStage,
  type State,
  type Viewer,
} from './held-items-stage.ts'
import { sweptCalls, sweptPages, type Asked } from './swept-addresses.ts'

type Swept = { status: number; isBinary: boolean; isPrivate: boolean; text: string }
/** Answers by what was asked. */
type Answers = Map<Asked, Swept>

const PRIVACIES = ['INVITE', 'LOCKED'] as const satisfies Privacy[]
const isOutsider = (viewer: Viewer) => OUTSIDERS.some((one) => one === viewer)

/** What differs between two equal requests: instants of the sweep itself, ids of one answer, times that were measured. */
const OF_ONE_ANSWER =
  /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|"(?:checkedAt|exportedAt|answeredMs)":[^,}]+/gu

async function askAs(
  stage: HeldStage,
  viewer: Viewer,
  { method, path, body, headers = {} }: Asked,
): Promise<Swept> {
  const answer = await stage.people[viewer].request(method, path, body, { headers })
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const sent = JSON.stringify([...answer.headers].filter(([name]) => name !== 'set-cookie'))
  const isText = /json|text|xml|zip/u.test(answer.headers.get('Content-Type') ?? 'text')
  return {
    status: answer.status,
    isBinary: answer.ok && !isText,
    isPrivate: answer.headers.get('Cache-Control') === 'private, no-store',
    text: `${sent}${new TextDecoder('latin1').decode(bytes)}`.replaceAll(OF_ONE_ANSWER, '*').toLowerCase(),
  }
}

/** Asks everything as this viewer. Who may not see an item may not change it either, so they try. */
async function askEverything(stage: HeldStage, viewer: Viewer, privacy: Privacy): Promise<Answers> {
  await changeRows(memorials, { id: stage.memorial.id }, { privacy, lockedAt: LOCKED_AT })
  const { id, slug } = stage.memorial
  // Wrong links are counted by address: each sweep asks for many, and all get the same answer.
  stage.people[viewer].ip = newIp()
  // What doesn't name the memorial is the same for either privacy.
  const isAbout = ({ path, item }: Asked) =>
    item || [id, slug, stage.invite].some((one) => path.includes(one))
  const asked = [...sweptCalls(stage), ...sweptPages(stage)].filter(
    (one) => (one.method === 'GET' || isOutsider(viewer)) && (privacy === 'LOCKED' || isAbout(one)),
  )
  return new Map(await Promise.all(asked.map(async (one) => [one, await askAs(stage, viewer, one)] as const)))
}

const keyOf = ({ method, path, headers }: Asked) => `${method} ${path} ${JSON.stringify(headers ?? {})}`

/** Which states' items each call and page shows. */
export type Shown = Record<string, State[]>

function shownIn(answers: Answers): Shown {
  const shown: Shown = {}
  for (const [{ name, item }, { text, isBinary }] of answers) {
    const found = ALL_STATES.filter((state) => (isBinary && state === item) || text.includes(markOf(state)))
    const all = new Set([...(shown[name] ?? []), ...found])
    if (all.size > 0) shown[name] = ALL_STATES.filter((state) => all.has(state))
  }
  return shown
}

/** What an outsider can learn of what is held, a line each: whatever is not as it was before it existed. */
function leaksIn(before: Answers, after: Answers): string[] {
  const known = new Map([...before].map(([one, answer]) => [keyOf(one), answer]))
  // Whoever may not see the memorial is told so, for any item in it.
  const refusal = [...after].find(([{ name }]) => name === 'memorial')?.[1]
  return [...after].flatMap(([one, answer]) => {
    const expected = known.get(keyOf(one))
    const isRefused = one.item && refusal?.status === 403 && answer.text === refusal.text
    const isSame = one.item === 'SHOWN' || isRefused || answer.text === expected?.text
    const isNamed = answer.text.includes(HIDDEN_PERSON) && !one.path.includes(HIDDEN_PERSON)
    return isSame && !isNamed ? [] : [`${keyOf(one)}: ${expected?.status} before, ${answer.status} now`]
  })
}

/** Answers with something held that a cache might keep. */
function cachedIn(answers: Answers): string[] {
  const isHeld = ({ item }: Asked, { text, isBinary }: Swept) =>
    HELD_STATES.some((state) => (isBinary && state === item) || text.includes(markOf(state)))
  return [...answers].flatMap(([one, answer]) =>
    answer.status < 400 && isHeld(one, answer) && !answer.isPrivate ? [keyOf(one)] : [],
  )
}

/**
 * Asks everything as everybody, before and after things were added that are held. `shown`: what each call and page shows, by privacy and
 * viewer. `leaks`: what outsiders learn of it. `cached`: answers with something held that a cache might keep.
 */
export async function sweep() {
  const stage = await stageOf()
  const before = new Map<string, Answers>()
  for (const privacy of PRIVACIES)
    for (const viewer of OUTSIDERS)
      before.set(`${privacy} ${viewer}`, await askEverything(stage, viewer, privacy))
  const counts = await countsOf(stage)
  await stage.addHeld()
  const found = { shown: {} as Record<string, Shown>, leaks: [] as string[], cached: [] as string[] }
  for (const privacy of PRIVACIES)
    for (const viewer of VIEWERS) {
      const who = `${privacy} ${viewer}`
      const answers = await askEverything(stage, viewer, privacy)
      found.shown[who] = shownIn(answers)
      const say = (line: string) => `${who}: ${line}`
      found.cached.push(...cachedIn(answers).map(say))
      const known = before.get(who)
      if (known) found.leaks.push(...leaksIn(known, answers).map(say))
    }
  return { stage, ...found, counts: { before: counts, after: await countsOf(stage) } }
}

/** What the owner reads of all that the memorial has. */
async function countsOf({ people, path }: HeldStage) {
  const {
    memorials: [memorial],
  } = (await people.owner.get<Dashboard>('/api/dashboard')).body
  const { files, bytes } = (await people.owner.get<ExportPlan>(`${path}/export/plan`)).body
  return {
    media: memorial?.mediaCount,
    comments: memorial?.commentCount,
    news: { items: memorial?.news?.items ?? 0, people: memorial?.news?.people ?? 0 },
    exported: [files, bytes],
  }
}
