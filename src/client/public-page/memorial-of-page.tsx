import { PageLinkContext } from '#client/features/invites/page-link.ts'
import { PlainFormsContext } from '#client/lib/plain-forms.ts'
import { PostedFormContext } from '#client/lib/server-rendering.ts'
import MemorialPage from '#client/pages/memorial.tsx'
import { pageLinkOf, type PersonalData } from './personal-client.ts'

/**
 * The screen of a memorial that was written for its viewer, with what only the page knows. `pageKey`: names the page in forms that
 * are sent without script, which the app doesn't need.
 */
export function memorialOfPage(data: PersonalData, pageKey: string) {
  const link = pageLinkOf(data)
  const plain = { key: pageKey, added: data.added }
  return () => (
    <PageLinkContext value={link}>
      <PostedFormContext value={data.posted}>
        <PlainFormsContext value={plain}>
          <MemorialPage />
        </PlainFormsContext>
      </PostedFormContext>
    </PageLinkContext>
  )
}
