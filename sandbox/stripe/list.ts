import { listAt, textAt } from '../form.ts'
import type { FormObject } from '../form.ts'
import { invalid } from './error.ts'
import type { World } from '../world.ts'

type Listed = { id: string; created: number }

/**
 * One page of a list, newest first: https://docs.stripe.com/api/pagination. Accepts `limit`, `starting_after`,
 * `ending_before`, `created[gte|gt|lte|lt]`, `types` for events, and the `filters` by name.
 */
export function listPage(
  call: { form: FormObject; url: string },
  rows: Listed[],
  filters: string[],
): { object: 'list'; url: string; has_more: boolean; data: Listed[] } {
  const { form, url } = call
  const limit = Number(textAt(form, 'limit') ?? 10)
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    throw invalid('This value must be between 1 and 100.', { param: 'limit' })
  }
  const found = rows.toReversed().filter((row) => isWanted(row, form, filters))
  const after = textAt(form, 'starting_after')
  const before = textAt(form, 'ending_before')
  const start = after ? found.findIndex((row) => row.id === after) + 1 : 0
  const end = before ? found.findIndex((row) => row.id === before) : found.length
  if ((after && start === 0) || end === -1) throw invalid(`No such object: '${after ?? before}'`)
  const from = before ? Math.max(start, end - limit) : start
  const data = found.slice(from, Math.min(end, from + limit))
  return { object: 'list', url, has_more: before ? from > start : from + limit < end, data }
}

/** Replaces the ids named in `expand` with their objects: https://docs.stripe.com/api/expanding_objects */
export function expand(world: World, object: object, paths: string[]): object {
  if (paths.length === 0) return object
  const copy = structuredClone(object)
  for (const path of paths) expandPath(world, copy as Record<string, unknown>, path.split('.'), path)
  return copy
}

function expandPath(world: World, place: Record<string, unknown>, parts: string[], path: string): void {
  const [name = '', ...rest] = parts
  const value = place[name]
  if (Array.isArray(value)) {
    for (const item of value) expandPath(world, item as Record<string, unknown>, rest, path)
    return
  }
  if (value === undefined) {
    throw invalid(`This property cannot be expanded (${path}).`, { param: 'expand' })
  }
  const whole = typeof value === 'string' ? findObject(world, value) : value
  if (typeof whole !== 'object' || whole === null) return
  place[name] = structuredClone(whole)
  if (rest.length > 0) expandPath(world, place[name] as Record<string, unknown>, rest, path)
}

function findObject(world: World, id: string): object | undefined {
  const { intents, charges, refunds, disputes } = world.state
  return intents[id] ?? charges[id] ?? refunds[id] ?? disputes[id]
}

function isWanted(row: Listed, form: FormObject, filters: string[]): boolean {
  const values = row as unknown as Record<string, unknown>
  const isSame = filters.every((name) => {
    const wanted = textAt(form, name)
    return wanted === undefined || values[name] === wanted
  })
  const types = listAt(form, 'types')
  const isOfType = types.length === 0 || types.includes(String(values['type']))
  const created = row.created
  const bound = (name: string): number | undefined => {
    const text = textAt(form, 'created', name)
    return text === undefined ? undefined : Number(text)
  }
  return (
    isSame &&
    isOfType &&
    created >= (bound('gte') ?? -Infinity) &&
    created > (bound('gt') ?? -Infinity) &&
    created <= (bound('lte') ?? Infinity) &&
    created < (bound('lt') ?? Infinity)
  )
}
