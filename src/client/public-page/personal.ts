/** The small script of a memorial's page that was written for its viewer. */
import './page.ts'
import { GUEST_NAME } from '#shared/ids.ts'
import { isDataCheap } from '#client/lib/browser/browser.ts'
import { ADD_CONTROLS } from '#client/lib/contributor.ts'
import { keepTyped } from '#client/lib/offline/message-drafts.ts'
import { takePageData } from '#client/lib/browser/page-data.ts'
import {
  CONTRIBUTOR_SESSION_PREFIX,
  FORMER_CONTRIBUTOR_PREFIX,
  readText,
  writeKeepsOriginals,
} from '#client/lib/browser/stored-text.ts'
import { dropLink, makeGuestSession } from './guest-session.ts'
import { isHydrated, reloadAfterSignOut } from './in-place.ts'
import type { PersonalData } from './personal-client.ts'
import { sendForm } from './send-form.ts'
import { inputsWithFiles, needsApp, setPage, showsOnePhoto, startApp } from './start-app.ts'

type Guest = ReturnType<typeof makeGuestSession>
let settleGuest: (made: Guest | null) => void
/** The guest's session that this page makes once it has painted, or null. A chosen file may need it before. */
const guest: Guest = new Promise((resolve) => {
  settleGuest = resolve
})

showOwnAddress()
reloadAfterSignOut()
/** A form that the server has refused stays as it is, so that nothing in it is lost twice. */
const isRefused = pageData().posted !== null
const plainForms = isRefused ? ', [method="post"]:not(footer *), [method="post"] *' : ''
setPage({
  needsApp: `[data-open], form:not([data-play]${plainForms}), :is(header, main) :is(button, summary, label, input, textarea):not([data-toggle], [data-plain], [data-play] *${plainForms})`,
  async hydrate(root) {
    const [{ hydratePersonal }, made] = await Promise.all([import('./hydrate-personal.tsx'), guest])
    const data = pageData()
    await hydratePersonal(root, made ? { ...data, own: made } : data)
  },
  isComplete: openPage,
  ignoresHover: isRefused,
  sendForm,
})
keepChoice()

/** An invitation opens its memorial, as in the app. */
function showOwnAddress(): void {
  const root = document.getElementById('root')
  const { address, title = '' } = root?.dataset ?? {}
  if (address === undefined) return
  // Previews, which read the head, may not name the person.
  document.title = title
  for (const name of ['address', 'title']) delete root?.dataset[name]
  window.history.replaceState(window.history.state, '', address + window.location.hash)
}

/** Makes a guest's session. True if this is a guest's page, and loading the app would cost them. */
async function openPage(): Promise<boolean> {
  const { link, view, own, user, posted, added } = pageData()
  // Sent by the browser: what the script kept of it meanwhile isn't a draft, nor what it kept before its writer gave a name.
  for (const writerId of added.includes('message') ? [user?.id, own?.contributorId, storedContributor()] : [])
    keepTyped(writerId ?? null, view.memorial.id, '')
  keepMessage()
  const isStored = [CONTRIBUTOR_SESSION_PREFIX, FORMER_CONTRIBUTOR_PREFIX].some(
    (prefix) => readText(prefix + view.memorial.id) !== null,
  )
  if (link === null && (own === null || isStored)) dropLink()
  const isNew = link !== null && !isStored && !posted
  // A refused form asks for a name. The answer to a guest's session could come after that to the form, and replace its cookie.
  settleGuest(isNew ? makeGuestSession(link) : null)
  if (posted) return true
  const isGuest = user === null && (isNew || (isStored && own?.displayName === GUEST_NAME))
  if (!isGuest || isDataCheap() || showsOnePhoto()) return false
  return !isNew || (await guest) !== null
}

/** The contributor whose session this device has stored: until the app has come, who they were before they gave a name. */
function storedContributor(): string | undefined {
  const stored = readText(CONTRIBUTOR_SESSION_PREFIX + pageData().view.memorial.id) ?? ''
  return /"contributorId":"(.+?)"/u.exec(stored)?.[1]
}

/** Keeps the message that somebody types while the app is on its way. The form takes it over. */
function keepMessage(): void {
  const message = document.getElementById(ADD_CONTROLS.words)
  if (!(message instanceof HTMLTextAreaElement)) return
  const { view, user, own } = pageData()
  const keep = () => {
    const writerId = user?.id ?? own?.contributorId ?? null
    // The form may become the app's a moment after the page.
    keepTyped(isHydrated() ? null : writerId, view.memorial.id, message.value)
  }
  if (message.value !== '') keep()
  message.addEventListener('input', keep)
}

/** Stores what somebody ticks while the app is on its way; it shows the stored choice. Chosen files wait for it. */
function keepChoice(): void {
  // Somebody was quicker than this script.
  const chosen = inputsWithFiles()
  chosen.forEach(shrinkAhead)
  if (chosen.length > 0) void startApp()
  document.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !needsApp(target) || isHydrated()) return
    // A box inside of a form answers another question.
    if (target.type !== 'checkbox') shrinkAhead(target)
    else if (!target.form) writeKeepsOriginals(target.checked)
    // Some browsers give no focus to what opens the file picker, so nothing else has started it.
    void startApp()
  })
}

/** Shrinks the first chosen photo while the app is on its way, which then finds the copy. */
function shrinkAhead({ files }: HTMLInputElement): void {
  const photo = [...(files ?? [])].find(({ type }) => type.startsWith('image/'))
  // The app tries again, and says what fails.
  if (photo)
    import('#client/lib/upload/shrink-photo.ts')
      .then(({ shrinkPhoto }) => shrinkPhoto(photo))
      .catch(() => null)
}

let parsed: PersonalData | null = null

function pageData(): PersonalData {
  parsed ??= JSON.parse(takePageData() ?? '') as PersonalData
  return parsed
}
