import {
  isGuestSession,
  readStoredSession,
  storeSession,
} from '#client/features/invites/contributor-session.ts'
import { moveMessageDraft } from '#client/lib/offline/message-drafts.ts'
import { keepAppForOffline } from '#client/lib/offline/service-worker.ts'
import { sendPendingMessages } from '#client/lib/offline/send-pending-messages.ts'
import { hydrateWritten } from './hydrate-written.tsx'
import { memorialOfPage } from './memorial-of-page.tsx'
import { personalClient, type PersonalData } from './personal-client.ts'

/** Hydrates the page of a memorial that was written for this viewer, with the data that it brought. */
export async function hydratePersonal(root: HTMLElement, data: PersonalData): Promise<void> {
  const invite = new URLSearchParams(window.location.search).get('invite')
  const repeatChoices = noteChoices(root)
  const { Memorial, forgetForms } = memorialOfPage(data, '')
  adoptOwnSession(data)
  await hydrateWritten(root, {
    queryClient: personalClient(data, invite),
    name: 'Memorial',
    isForViewer: true,
    Shown: Memorial,
    onHydrated() {
      forgetForms()
      sendPendingMessages()
      void keepAppForOffline()
    },
  })
  void repeatChoices()
}

/** The cookie decides. Without script, its owner may have given a name since this device stored a session. */
function adoptOwnSession({ own, view }: PersonalData): void {
  const stored = own && readStoredSession(own.memorialId)
  // Whoever was let in has no invitation, only a session.
  const isFirst = view.viewer.role === 'CONTRIBUTOR' && view.memorial.privacy === 'INVITE'
  if (own && !stored && isFirst) storeSession(own, '')
  if (!stored || stored.contributorId === own.contributorId) return
  if (isGuestSession(stored)) moveMessageDraft(stored.contributorId, own.contributorId, own.memorialId)
  storeSession(own, stored.inviteToken)
}

/** After these times, in ms, a choice that React has undone or missed while it took over is repeated. */
const REPEAT_AFTER_MS = [0, 100, 500]

/** Notes what somebody chooses while the app is on its way. The returned function hands it over by repeating the events. */
function noteChoices(root: HTMLElement): () => Promise<void> {
  const selects = () => [...root.querySelectorAll('select')]
  const files = () => [...root.querySelectorAll<HTMLInputElement>('input[type="file"]')]
  const filesBefore = files()
  /** Values by the place of their field on the page. */
  const chosen = new Map<number, string>()
  for (const [index, { selectedOptions, value }] of selects().entries())
    if (!selectedOptions[0]?.defaultSelected) chosen.set(index, value)
  const note = ({ target }: Event) => {
    if (target instanceof HTMLSelectElement) chosen.set(selects().indexOf(target), target.value)
  }
  // Before React sees it: that makes it take over at once and undo the choice, before the change event.
  root.addEventListener('input', note, true)
  const repeat = (control: HTMLElement) => control.dispatchEvent(new Event('change', { bubbles: true }))
  return async () => {
    for (const [index, input] of files().entries()) {
      // React replaces what differs from what the server wrote, for example where the guest's session failed.
      const chosenBefore = filesBefore[index]?.files
      if (chosenBefore?.length && !input.files?.length) input.files = chosenBefore
      if (input.files?.length) repeat(input)
    }
    for (const wait of REPEAT_AFTER_MS) {
      await new Promise((resolve) => setTimeout(resolve, wait))
      for (const [index, value] of chosen) {
        const select = selects()[index]
        if (!select || (wait > 0 && select.value === value)) continue
        select.value = value
        repeat(select)
      }
    }
    root.removeEventListener('input', note, true)
  }
}
