import { api } from '#shared/api.ts'
import { call } from '#client/lib/call.ts'
import type { Wizard } from './wizard.ts'

/** Makes a photo the one that stands for the memorial. Throws what the call throws. */
export async function saveCover(
  wizard: Pick<Wizard, 'changed'>,
  memorialId: string,
  coverMediaId: string,
): Promise<void> {
  const memorial = await call(api.updateMemorial, { params: { id: memorialId }, body: { coverMediaId } })
  wizard.changed((view) => ({ ...view, memorial }))
}
