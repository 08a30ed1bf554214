import { api } from '#shared/api.ts'
import type { Memorial, UpdateMemorialInput } from '#shared/memorials/memorials.ts'
import { ApiError, call } from '#client/lib/call.ts'
import type { Wizard } from './use-wizard.ts'

type Changes = Omit<UpdateMemorialInput, 'updatedAt'>

/** Thrown when the same fields changed elsewhere since they were loaded. Nothing was overwritten. */
export class EditedElsewhere extends Error {
  override name = 'EditedElsewhere'
  readonly newest: Memorial

  constructor(newest: Memorial) {
    super('edited_elsewhere')
    this.newest = newest
  }
}

/**
 * Saves changes against the version in `base`. If only other fields have changed since, saves against the newest version;
 * if the same fields changed, throws {@link EditedElsewhere}.
 */
export async function saveMemorial(base: Memorial, changes: Changes): Promise<Memorial> {
  const params = { id: base.id }
  try {
    return await call(api.updateMemorial, { params, body: { ...changes, updatedAt: base.updatedAt } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'edited_elsewhere') throw error
    const { memorial: newest } = await call(api.memorial, { params })
    const names = Object.keys(changes) as (keyof Changes)[]
    if (names.some((name) => newest[name] !== base[name])) throw new EditedElsewhere(newest)
    return call(api.updateMemorial, { params, body: { ...changes, updatedAt: newest.updatedAt } })
  }
}

/** Makes a photo the memorial's cover. Throws the errors of the call. */
export async function saveCover(
  wizard: Pick<Wizard, 'changed'>,
  memorialId: string,
  coverMediaId: string,
): Promise<void> {
  const memorial = await call(api.updateMemorial, { params: { id: memorialId }, body: { coverMediaId } })
  wizard.changed((view) => ({ ...view, memorial }))
}
