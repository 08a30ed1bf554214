import { api } from '#shared/api.ts'
import type { Memorial, UpdateMemorialInput } from '#shared/memorials.ts'
import { ApiError, call } from '#client/lib/call.ts'

type Changes = Omit<UpdateMemorialInput, 'updatedAt'>

/** Somebody else changed the same words since they were opened here. Nothing was overwritten. */
export class EditedElsewhere extends Error {
  override name = 'EditedElsewhere'
  readonly newest: Memorial

  constructor(newest: Memorial) {
    super('edited_elsewhere')
    this.newest = newest
  }
}

/**
 * Saves changes over the version in `seen`. When the memorial has moved on in other fields only, saves over the newest;
 * when the same fields moved, throws {@link EditedElsewhere}.
 */
export async function saveMemorial(seen: Memorial, changes: Changes): Promise<Memorial> {
  const params = { id: seen.id }
  try {
    return await call(api.updateMemorial, { params, body: { ...changes, updatedAt: seen.updatedAt } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'edited_elsewhere') throw error
    const { memorial: newest } = await call(api.memorial, { params })
    const names = Object.keys(changes) as (keyof Changes)[]
    if (names.some((name) => newest[name] !== seen[name])) throw new EditedElsewhere(newest)
    return call(api.updateMemorial, { params, body: { ...changes, updatedAt: newest.updatedAt } })
  }
}
