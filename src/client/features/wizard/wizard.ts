import type { Memorial, MemorialView } from '#shared/memorials.ts'

/** What every step gets from the wizard around it. */
export type Wizard = {
  userId: string
  /** Null until step 1 has been saved. */
  memorialId: string | null
  view: MemorialView | null
  step: number
  /** When something was last saved on the server, in ms; null before. */
  savedAt: number | null
  /** Opens a step; `memorialId` where it was made this moment. */
  go: (step: number, memorialId?: string) => void
  /** Something was saved: what the server answered goes into the view. */
  changed: (change: (view: MemorialView) => MemorialView, memorialId?: string) => void
  /** The memorial now exists: its address becomes the wizard's. */
  created: (memorial: Memorial) => void
  /** The memorial's id, or null after telling the family to finish step 1 and opening it. */
  requireMemorial: () => string | null
  finish: () => void
}
