import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '#shared/api.ts'
import type { Memorial, Privacy } from '#shared/memorials.ts'
import { messages } from '#shared/messages.ts'
import { ApiError, call, errorText } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { showErrorToast, showToast } from '#client/lib/toast-store.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { MemorialTick } from './memorial-tick.tsx'
import { ShareLink } from './share-link.tsx'
import { fieldId, StepForm, type StepErrors } from './step-form.tsx'
import { isStepComplete } from './steps.ts'
import styles from './wizard.module.css'
import type { Wizard } from './wizard.ts'

const CHOICES = [
  { privacy: 'PRIVATE', name: 'Private', says: 'Only you can see it.' },
  {
    privacy: 'INVITE',
    name: 'Invite-only',
    says: 'People with your link can see it and add photos and messages.',
  },
  { privacy: 'LOCKED', name: 'Public', says: 'Anyone with the link can see it. Nobody can add to it.' },
] as const

/** Step 5: who can see it, and the link to give them. */
export function StepPrivacy({ wizard }: { wizard: Wizard }) {
  const memorial = wizard.view?.memorial ?? null
  const saved = memorial?.privacy ?? 'PRIVATE'
  const [privacy, setPrivacy] = useState<Privacy>(saved)
  const [mustPay, setMustPay] = useState(false)
  const [errors, setErrors] = useState<StepErrors | null>(null)
  const [isBusy, setBusy] = useState(false)
  const isShared = privacy !== 'PRIVATE'
  const isUnpaid = mustPay || (memorial !== null && !memorial.isPaid)

  async function write(): Promise<boolean> {
    const id = wizard.requireMemorial()
    if (!id) return false
    if (privacy === saved) return true
    setErrors(null)
    setBusy(true)
    try {
      const changed = await call(api.updatePrivacy, { params: { id }, body: { privacy } })
      wizard.changed((view) => ({ ...view, memorial: changed }))
      showToast({ title: messages.memorial.privacyUpdatedTitle })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.code === 'payment_required') setMustPay(true)
      const words = errorText(error, messages.memorial.updateFailedText)
      showErrorToast(messages.memorial.updateFailedTitle, words)
      setErrors({ text: words, fields: {} })
      return false
    } finally {
      setBusy(false)
    }
  }

  return (
    <StepForm
      wizard={wizard}
      isComplete={isStepComplete(5, { privacy })}
      missing="privacy"
      isBusy={isBusy}
      errors={errors}
      skipLabel={saved === 'PRIVATE' ? 'Finish and keep it private' : 'Finish without changes'}
      onSkip={() => wizard.requireMemorial() && wizard.finish()}
      onSave={async () => {
        if (await write()) wizard.finish()
      }}
    >
      <fieldset className={styles['choices']}>
        <legend className={styles['label']}>Who can see this memorial?</legend>
        {CHOICES.map((choice, index) => (
          <label key={choice.privacy} className={styles['choice']}>
            <input
              id={index === 0 ? fieldId('privacy') : undefined}
              type="radio"
              name="privacy"
              checked={privacy === choice.privacy}
              onChange={() => setPrivacy(choice.privacy)}
            />
            <span>
              {choice.name}
              <span className={styles['hint']}>{choice.says}</span>
            </span>
          </label>
        ))}
        <p className={styles['hint']}>You can change this later.</p>
      </fieldset>
      {isShared && isUnpaid && memorial && <PayFirst memorialId={memorial.id} />}
      {privacy !== saved && !isUnpaid && (
        <p>
          <Button disabled={isBusy} onClick={() => void write()}>
            {isShared ? 'Save and show the link' : 'Save: only I can see it'}
          </Button>
        </p>
      )}
      {memorial && privacy === saved && <Links memorial={memorial} wizard={wizard} />}
    </StepForm>
  )
}

function PayFirst({ memorialId }: { memorialId: string }) {
  return (
    <Notice kind="warning" title="Not paid for yet">
      <p>{messages.payment.required}</p>
      <p>
        Until then you can go on working on it, and only you can see it. It costs $60 once, with no monthly
        fee.
      </p>
      <ButtonLink look="primary" to={links.checkout(memorialId)} reloadDocument>
        Go to payment
      </ButtonLink>
    </Notice>
  )
}

function Links({ memorial, wizard }: { memorial: Memorial; wizard: Wizard }) {
  if (memorial.privacy === 'INVITE') return <InviteLink memorial={memorial} />
  if (memorial.privacy !== 'LOCKED') return null
  return (
    <>
      <ShareLink
        title="Public link"
        link={`${window.location.origin}${links.publicMemorial(memorial.slug)}`}
        sentence={`The memorial of ${memorial.honoureeFullName}:`}
        copied={messages.share.linkCopied}
      />
      <MemorialTick
        wizard={wizard}
        name="allowSearchEngines"
        label="Let search engines find this page"
        hint="Otherwise only people with the link find it."
      />
    </>
  )
}

function InviteLink({ memorial }: { memorial: Memorial }) {
  const invite = useQuery(endpointQuery(api.inviteLink, { params: { id: memorial.id } }))
  if (invite.error) {
    return (
      <Notice kind="error">
        <p>{errorText(invite.error, messages.system.notAvailable)}</p>
        <Button onClick={() => void invite.refetch()}>Try again</Button>
      </Notice>
    )
  }
  if (!invite.data) return <p aria-busy="true">Making the invitation link…</p>
  return (
    <ShareLink
      title="Invitation link"
      link={invite.data.inviteLink}
      sentence={`You are invited to the memorial of ${memorial.honoureeFullName}. You can look, and add photos and messages:`}
      copied="The invitation link has been copied"
    />
  )
}
