import { useState } from 'react'
import type { User } from '#shared/accounts/accounts.ts'
import { sendPendingMessages } from '#client/lib/offline/send-pending-messages.ts'
import { PostedFormContext, type PostedForm } from '#client/lib/server-rendering.ts'
import { loadScreen, screens } from '#client/screens.ts'
import { hydrateWritten } from './hydrate-written.tsx'
import { writtenPageClient, type Config } from './page-client.ts'

/** Hydrates a written screen and keeps what the user has typed. Resolves once the app handles its events. */
export async function hydrateScreen(root: HTMLElement): Promise<void> {
  const { screen, config, posted, user } = root.dataset as Record<string, string | undefined>
  const name = screen as keyof typeof screens
  // Before React takes the page: without it the server's form stays, and the browser sends it.
  await loadScreen[name]()
  // Without a user, only browsers without a session get this page: see `enhanceText` for one that was cached.
  const signedIn = user === undefined ? null : (JSON.parse(user) as User)
  const queryClient = writtenPageClient(signedIn, JSON.parse(config ?? '') as Config)
  let refused = posted === undefined ? null : (JSON.parse(posted) as PostedForm)
  const release = keepAreas(root)
  const Shown = screens[name]
  const Screen = () => {
    const [first] = useState(refused)
    return (
      <PostedFormContext value={first}>
        <Shown />
      </PostedFormContext>
    )
  }
  await hydrateWritten(root, {
    queryClient,
    name,
    isForViewer: signedIn !== null,
    Shown: Screen,
    onHydrated() {
      // When the person comes back to this screen, it is a new one.
      refused = null
      release()
      sendPendingMessages()
    },
  })
}

/** React fills a text area with the server's text when it hydrates it, unless that differs from what React renders. */
function keepAreas(root: HTMLElement): () => void {
  const keep = () => {
    for (const area of root.querySelectorAll('textarea'))
      if (area.defaultValue !== area.value) area.defaultValue = area.value
  }
  keep()
  root.addEventListener('input', keep)
  return () => root.removeEventListener('input', keep)
}
