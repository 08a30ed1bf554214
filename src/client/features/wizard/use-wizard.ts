import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { Memorial, MemorialView } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { adoptSkipped, skippedSteps, storeSkipped } from '#client/lib/setup-steps.ts'
import { showErrorToast } from '#client/lib/toast-store.ts'
import { LAST_STEP, STEPS } from './steps.ts'
import { adoptDrafts } from './use-draft.ts'

const viewQuery = (id: string) => endpointQuery(api.memorial, { params: { id } })
const paymentsQuery = endpointQuery(api.userPayments, {})

/** Loads the memorial being edited, and whether there is an unused payment for it, or for a new one. */
export function useWizardData(id: string | null) {
  const view = useQuery({ ...viewQuery(id ?? ''), enabled: id !== null })
  const isOwnDraft = view.data?.memorial.isPaid === false && view.data.viewer.role === 'OWNER'
  const payments = useQuery({ ...paymentsQuery, enabled: id === null || isOwnDraft })
  const hasCredit = payments.data?.payments.some(({ isCredit }) => isCredit) ?? false
  return {
    isLoading: id === null ? payments.isLoading : view.isLoading,
    // Without the payments the user can still start; the server decides what is paid.
    error: id === null ? null : view.error,
    view: id === null ? null : (view.data ?? null),
    hasCredit,
    retry: () => void view.refetch(),
    refreshPayments: async () => void (await payments.refetch()),
  }
}

/** Navigation of the wizard: between steps, to the memorial's URL once it exists, and out at the end. */
export function useWizard({
  userId,
  memorialId,
  view,
  step,
}: Pick<Wizard, 'userId' | 'memorialId' | 'view' | 'step'>): Wizard {
  const client = useQueryClient()
  const navigate = useNavigate()
  const [savedAt, setSavedAt] = useState<number | null>(null)
  const [skipped, setSkipped] = useState(() => skippedSteps(userId, memorialId))
  const address = (id: string | null, to: number) =>
    `${id ? links.editMemorial(id) : links.createMemorial}?step=${to}`

  function created(memorial: Memorial) {
    client.setQueryData(viewQuery(memorial.id).queryKey, newView(memorial))
    adoptDrafts(localStorage, userId, memorial.id, STEPS.length)
    adoptSkipped(userId, memorial.id)
    setSavedAt(Date.now())
    void client.invalidateQueries({ queryKey: endpointQuery(api.dashboard, {}).queryKey })
    void navigate(address(memorial.id, step), { replace: true })
  }

  const go = (to: number, id?: string) => void navigate(address(id ?? memorialId, to))

  function finish() {
    if (!memorialId) return
    void client.invalidateQueries({ refetchType: 'none' })
    void navigate(links.memorial(memorialId))
  }

  return {
    userId,
    memorialId,
    view,
    step,
    savedAt,
    skipped,
    created,
    go,
    skip() {
      const steps = [...new Set([...skipped, step])]
      setSkipped(steps)
      storeSkipped(userId, memorialId, steps)
      if (step === LAST_STEP) finish()
      else go(step + 1)
    },
    changed(change, createdId) {
      setSavedAt(Date.now())
      const id = createdId ?? memorialId
      if (id) client.setQueryData(viewQuery(id).queryKey, (old) => (old ? change(old) : old))
    },
    requireMemorial() {
      if (memorialId) return memorialId
      showErrorToast(messages.wizard.setupIncompleteTitle, messages.wizard.setupIncompleteText)
      void navigate(address(null, 1))
      return null
    },
    finish,
  }
}

/** The view of a memorial that was just paid for. */
export function toPaid(view: MemorialView): MemorialView {
  return { ...view, memorial: { ...view.memorial, isPaid: true, status: 'ACTIVE' } }
}

/** Puts what was saved into the wizard's view; without an answer, the view stays. */
export function keepSaved({ changed }: Wizard, memorial: Memorial | undefined): void {
  if (memorial) changed((view) => ({ ...view, memorial }))
}

/** The view of a memorial that was just created: empty except for the memorial itself. */
function newView(memorial: Memorial): MemorialView {
  return {
    memorial,
    funeralEvent: null,
    funeralEvents: [],
    location: null,
    portraitPlaceholder: null,
    viewer: { role: 'OWNER', canContribute: true, canEdit: true },
    news: null,
  }
}

/** What the wizard passes to every step. */
export type Wizard = {
  userId: string
  /** Null until step 1 has been saved. */
  memorialId: string | null
  view: MemorialView | null
  step: number
  /** When the server last saved something, in ms; null before. */
  savedAt: number | null
  /** The steps that this user skipped on this device. */
  skipped: readonly number[]
  /** Opens a step; pass `memorialId` if the memorial was just created. */
  go: (step: number, memorialId?: string) => void
  /** Marks this step as skipped, and opens the next one; after the last, the memorial. */
  skip: () => void
  /** Updates the cached view with the server's response after saving. */
  changed: (change: (view: MemorialView) => MemorialView, memorialId?: string) => void
  /** Moves the wizard to the URL of the memorial that was just created. */
  created: (memorial: Memorial) => void
  /** Returns the memorial's id. Without one, asks the user to finish step 1, opens it, and returns null. */
  requireMemorial: () => string | null
  finish: () => void
}
