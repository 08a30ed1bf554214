import { api } from '#shared/api.ts'
import { GATHERINGS_SHEET, PRINT } from '#shared/funeral/gatherings-sheet.ts'
import { pageParameters, paths } from '#shared/pages/pages.ts'
import {
  ALL_STATES,
  HIDDEN_PERSON,
  LOCKED_AT,
  messageIdOf,
  photoIdOf,
  type HeldStage,
  type State,
} from './held-items-stage.ts'
import { TABLE } from './access-table.ts'
import { OPEN_TABLE } from './open-table.ts'

/** A request of the sweep. `name`: of the call, or the path of the page. `item`: the state of the only item that it asks for. */
export type Asked = {
  name: string
  method: string
  path: string
  body?: unknown
  headers?: Record<string, string>
  item?: State
}

/** Positions behind and before all items, and other values for every query parameter of a GET call. A parameter without any fails. */
const LATE = 9_999_999_999_999
const VALUES: Record<string, string[]> = {
  cursor: ['med_z', 'com_z'].map((id) => `${LATE}.${id}`),
  newer: ['1.med_a'],
  from: ALL_STATES.map(photoIdOf),
  person: [`${HIDDEN_PERSON} Ncube`],
  owner: ['1'],
  type: ['IMAGE'],
  thumbnail: ['1'],
  w: ['640'],
  original: ['1'],
  as: ['caf'],
  removal: ['rmv_none'],
  reason: ['WORDS'],
  part: ['1'],
  state: ['waiting'],
  sentence: ['yes'],
  marks: ['yes'],
  page: ['1'],
  search: [HIDDEN_PERSON],
  feed: ['1'],
  shape: ['story'],
  version: ['1'],
}

type Name = keyof typeof api
/** What an address may name of the memorial, and of the items in it. */
export type Place = Pick<HeldStage, 'memorial' | 'invite' | 'eventId'>
type Items = { mediaId: string; commentId: string; item?: State }

/**
 * Every GET call, for each item if it names one, and with each of its parameters; and every call that changes an item by its id, for each
 * that is held. A call without a row in the access tables, or a parameter without a value above, throws.
 */
export function sweptCalls(stage: Place): Asked[] {
  return (Object.keys(api) as Name[]).flatMap((name) => {
    const { method, path } = api[name]
    const items = itemsOf(path).filter(({ item }) => method === 'GET' || (item && item !== 'SHOWN'))
    return items.flatMap((one) => callsOf(stage, name, one))
  })
}

function itemsOf(path: string): Items[] {
  if (!/^\/(?:api\/media|api\/comments|media\/\w+)\/:/u.test(path))
    return [{ mediaId: 'none', commentId: 'none' }]
  const places = ALL_STATES.map((item) => ({ mediaId: photoIdOf(item), commentId: messageIdOf(item), item }))
  const ofVisitor = { mediaId: 'none', commentId: messageIdOf('WAITING', true), item: 'WAITING' as const }
  return path.startsWith('/api/comments/') ? [...places, ofVisitor] : places
}

function callsOf(stage: Place, name: Name, { item, ...ids }: Items): Asked[] {
  const { memorial, invite, eventId } = stage
  const { method, query } = api[name] as { method: string; query?: { shape: object } }
  const open = OPEN_TABLE[name]
  const row = TABLE[name]
  const at = {
    ...memorial,
    ...ids,
    eventId,
    privacy: 'LOCKED' as const,
    removedPhotoId: ids.mediaId,
    removedCommentId: ids.commentId,
  }
  const others = {
    ownerId: 'usr_none',
    memorialId: memorial.id,
    paymentId: 'pay_none',
    invite,
    payToken: 'none',
  }
  if (!row && !open) throw new Error(`${name} has no row in the access tables`)
  const path = row?.path(at) ?? open?.path?.(others) ?? api[name].path
  const body: unknown = row?.body?.(at) ?? open?.body
  const asked = { name, method, ...(item && { item }), ...(body !== undefined && { body }) }
  if (method !== 'GET') return [{ ...asked, path }]
  const values = { ...VALUES, invite: [invite], event: [eventId], memorialId: [memorial.id] }
  // One held item with every parameter shows as much as all of them.
  const hasAll = item === undefined || item === 'SHOWN' || item === 'WAITING'
  const parameters = hasAll ? Object.keys(query?.shape ?? {}) : []
  const queries = parameters.flatMap((parameter) => {
    const known = values[parameter as keyof typeof values]
    if (!known) throw new Error(`the sweep knows no value for ?${parameter}= of ${name}`)
    return known.map((value) => `?${parameter}=${encodeURIComponent(value)}`)
  })
  return ['', ...queries].map((search) => Object.assign({}, asked, { path: path + search }))
}

/** What the Worker answers beside calls and the app's screens. */
const BESIDE = [
  '/m/:slug/card.jpg',
  '/m/:slug/code.svg',
  '/invite/:token/card.jpg',
  '/card.jpg',
  '/sitemap.xml',
  '/sitemaps/service.xml',
  '/sitemaps/:from.xml',
  '/robots.txt',
]
/** Pages of a memorial: without parameters also asked for with data saver. */
const OF_MEMORIAL = [paths.publicMemorial, paths.memorial, paths.invite, paths.visitorWords] as const

/** Every page, those of a memorial with each of their parameters. */
export function sweptPages({ memorial, invite }: Place): Asked[] {
  const filled = (path: string) =>
    path
      .replace(':slug', memorial.slug)
      .replace(':id', memorial.id)
      .replace(':token', invite)
      .replace(':from', `${LOCKED_AT}-${memorial.id}`)
  const { photo, photos, messages } = pageParameters
  const queries: Record<string, string[]> = {
    [paths.publicMemorial]: [
      ...ALL_STATES.map((state) => `?${photo}=${photoIdOf(state)}`),
      `?${photos}=all`,
      `?${photos}=${LATE}.med_z`,
      `?${messages}=${LATE}.com_z`,
      `?${PRINT}=${GATHERINGS_SHEET}`,
    ],
    [paths.memorial]: [`?invite=${invite}`, `?invite=${invite}&${PRINT}=${GATHERINGS_SHEET}`],
  }
  return [...Object.values(paths), ...BESIDE].flatMap((path) =>
    ['', ...(queries[path] ?? [])].flatMap((search) =>
      [{}, ...(search === '' && OF_MEMORIAL.some((one) => one === path) ? [{ 'Save-Data': 'on' }] : [])].map(
        (headers) => ({
          name: path,
          method: 'GET',
          path: filled(path) + search,
          headers,
        }),
      ),
    ),
  )
}
