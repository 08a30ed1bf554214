import { heldMessages } from '#shared/removal/held-messages.ts'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '#shared/api.ts'
import type { DecidedPage, HeldInput, HoldReason, UndoHeldInput } from '#shared/removal/held.ts'
import { messages } from '#shared/messages.ts'
import { call, pathOf } from './call.ts'
import { cursorQuery, endpointQuery } from './query-client.ts'
import { refreshAll } from './refresh.ts'
import { showErrorToast, showFailure, showToast } from './toast-store.ts'

/** What waits for an approver of this memorial, and what rules hold: the newest of each, and more of the rule `reason`. */
export function heldQuery(memorialId: string, reason?: HoldReason) {
  return endpointQuery(api.listHeld, { params: { id: memorialId }, query: reason ? { reason } : {} })
}

/** What approvers decided in the last 30 days, last decided first. */
export function decidedQuery(memorialId: string) {
  const params = { id: memorialId }
  return cursorQuery<DecidedPage>(pathOf(api.listDecided, { params }), (query) =>
    call(api.listDecided, { params, query }),
  )
}

/** Shows held items to everyone who may see the memorial, or declines them, as far as the list on screen has them; offers to undo that. */
export async function decideHeld(
  client: QueryClient,
  memorialId: string,
  decision: 'show' | 'decline',
  input: HeldInput,
): Promise<void> {
  const params = { id: memorialId }
  const body = { ...input, asOf: client.getQueryData(heldQuery(memorialId).queryKey)?.asOf }
  const isShown = decision === 'show'
  const failed = isShown ? messages.removed.notShownTitle : heldMessages.notDeclinedTitle
  try {
    const done = await call(isShown ? api.showHeld : api.declineHeld, { params, body })
    const count = 'shown' in done ? done.shown : done.declined
    const undo = () => void undoHeld(client, memorialId, { decidedAt: done.decidedAt })
    if (count === 0) showErrorToast(failed, heldMessages.changed)
    else
      showToast({
        title: isShown ? messages.removed.shown : heldMessages.declined,
        action: { label: 'Undo', run: undo },
      })
  } catch (error) {
    showFailure(failed, error)
  }
  await refreshAll(client, memorialId)
}

/** Lets items wait again that were shown or declined. */
export async function undoHeld(client: QueryClient, memorialId: string, input: UndoHeldInput): Promise<void> {
  try {
    await call(api.undoHeld, { params: { id: memorialId }, body: input })
    showToast({ title: heldMessages.undone })
  } catch (error) {
    showFailure(heldMessages.notUndoneTitle, error)
  }
  await refreshAll(client, memorialId)
}

/** Blocks a person, or takes that back. */
export async function setBlocked(
  client: QueryClient,
  memorialId: string,
  contributorId: string,
  isBlocked: boolean,
): Promise<void> {
  const params = { id: memorialId, contributorId }
  try {
    await call(isBlocked ? api.blockContributor : api.unblockContributor, { params })
    const undo = () => void setBlocked(client, memorialId, contributorId, false)
    showToast({
      title: isBlocked ? heldMessages.blocked : heldMessages.unblocked,
      ...(isBlocked && { action: { label: 'Undo', run: undo } }),
    })
  } catch (error) {
    showFailure(heldMessages.notBlockedTitle, error)
  }
  await refreshAll(client, memorialId)
}
