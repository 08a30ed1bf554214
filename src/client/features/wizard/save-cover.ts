import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import type { Wizard } from './wizard.ts'

/** Makes a photo the memorial's cover. Throws the errors of the call. */
export async function saveCover(
  wizard: Pick<Wizard, 'changed'>,
  memorialId: string,
  coverMediaId: string,
): Promise<void> {
  const memorial = await call(api.updateMemorial, { params: { id: memorialId }, body: { coverMediaId } })
  wizard.changed((view) => ({ ...view, memorial }))
}
