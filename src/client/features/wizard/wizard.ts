import type { Memorial, MemorialView } from '#shared/memorials.ts'

/** What the wizard passes to every step. */
export type Wizard = {
  userId: string
  /** Null until step 1 has been saved. */
  memorialId: string | null
  view: MemorialView | null
  step: number
  /** When the server last saved something, in ms; null before. */
  savedAt: number | null
  /** Opens a step; pass `memorialId` if the memorial was just created. */
  go: (step: number, memorialId?: string) => void
  /** Updates the cached view with the server's response after saving. */
  changed: (change: (view: MemorialView) => MemorialView, memorialId?: string) => void
  /** Moves the wizard to the URL of the memorial that was just created. */
  created: (memorial: Memorial) => void
  /** Returns the memorial's id. Without one, asks the user to finish step 1, opens it, and returns null. */
  requireMemorial: () => string | null
  finish: () => void
}
