import { useState } from 'react'
import { PageLinkContext } from '#client/features/invites/page-link.ts'
import { PlainFormsContext } from '#client/lib/plain-forms.ts'
import { PostedFormContext } from '#client/lib/server-rendering.ts'
import MemorialPage from '#client/pages/memorial/memorial.tsx'
import { pageLinkOf, type PersonalData } from './personal-client.ts'

/**
 * The screen of a memorial that was written for its viewer, with what only the page knows. `pageKey`: names the page in forms that
 * are sent without script, which the app doesn't need. Call `forgetForms` once it is here: later screens answer no form.
 */
export function memorialOfPage(data: PersonalData, pageKey: string) {
  const link = pageLinkOf(data)
  let answered = { posted: data.posted, plain: { key: pageKey, added: data.added } }
  function Memorial() {
    const [{ posted, plain }] = useState(answered)
    return (
      <PageLinkContext value={link}>
        <PostedFormContext value={posted}>
          <PlainFormsContext value={plain}>
            <MemorialPage />
          </PlainFormsContext>
        </PostedFormContext>
      </PageLinkContext>
    )
  }
  return {
    Memorial,
    forgetForms() {
      answered = { posted: null, plain: { key: pageKey, added: [] } }
    },
  }
}
