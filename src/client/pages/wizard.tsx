import { lazy, Suspense, useEffect, useState } from 'react'
import { useParams, useSearchParams } from 'react-router-dom'
import { withAllFields } from '#shared/funeral/gatherings.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { messages } from '#shared/messages.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { focusCard } from '#client/features/payments/focus-card.ts'
import { basicsOf } from '#client/features/wizard/basics.ts'
import { StepLocation } from '#client/features/wizard/location/step-location.tsx'
import { useWizardUploads } from '#client/features/wizard/media/use-wizard-uploads.ts'
import { StepBasics } from '#client/features/wizard/step-basics.tsx'
import { StepPayment } from '#client/features/wizard/step-payment.tsx'
import { SHARE_ID, StepPrivacy } from '#client/features/wizard/step-privacy.tsx'
import { stepFrom } from '#client/features/wizard/steps.ts'
import { StepStory } from '#client/features/wizard/story/step-story.tsx'
import { toPaid, useWizard, useWizardData, type Wizard } from '#client/features/wizard/use-wizard.ts'
import { Preview, WizardShell } from '#client/features/wizard/wizard-shell.tsx'
import { links } from '#client/lib/links.ts'
import { useSession } from '#client/lib/session.ts'
import { stepStates } from '#client/lib/setup-steps.ts'
import { ButtonLink } from '#client/ui/button.tsx'
import { LoadingScreen, Page, PageTitle, Skeleton } from '#client/ui/page.tsx'

// The largest form, which editing other steps doesn't need.
const loadFuneral = () => import('#client/features/wizard/funeral/step-funeral.tsx')
const StepFuneral = lazy(async () => ({ default: (await loadFuneral()).StepFuneral }))
// Only the first and the last step need these, and whoever edits a memorial neither.
const loadPayment = () => import('#client/features/payments/payment-methods.tsx')
const PaymentStep = lazy(async () => ({ default: (await loadPayment()).PaymentStep }))
const PaymentMethods = lazy(async () => ({ default: (await loadPayment()).PaymentMethods }))
const TellChanges = lazy(async () => ({
  default: (await import('#client/features/replies/tell-changes.tsx')).TellChanges,
}))
const ShareCard = lazy(async () => {
  const { ShareCard: Card } = await import('#client/features/invites/share-card.tsx')
  return { default: Card }
})

/** Creates or edits a memorial: `/create-memorial/:id?`, with the step in `?step=`. */
export default function WizardPage() {
  const { id = null } = useParams()
  const { user } = useSession()
  const data = useWizardData(id)

  if (data.isLoading || !user) {
    return (
      <Page>
        <PageTitle>Tribute Builder</PageTitle>
        <LoadingScreen />
      </Page>
    )
  }
  if (data.error) return <MemorialError error={data.error} onRetry={data.retry} />
  if (data.view?.viewer.canEdit === false) return <NotYours />
  return <WizardSteps id={id} userId={user.id} data={data} />
}

function WizardSteps({
  id,
  userId,
  data,
}: {
  id: string | null
  userId: string
  data: ReturnType<typeof useWizardData>
}) {
  const [search] = useSearchParams()
  // Skip payment if there is an unused payment, or the memorial exists already.
  const step = stepFrom(search.get('step'), id || data.hasCredit ? 1 : 0)
  const wizard = useWizard({ userId, memorialId: id, view: data.view, step })
  const uploads = useWizardUploads(wizard)
  useEffect(() => {
    // The next step is there when this one is saved, also on a connection that comes and goes. Opening it tries again.
    if (step === 1) loadFuneral().catch(() => null)
  }, [step])
  const [typed, setTyped] = useState(() => basicsOf(data.view?.memorial))
  const facts = data.view && {
    ...data.view.memorial,
    serviceCount: data.view.funeralEvents.length,
    hasLocation: data.view.location !== null,
  }

  return (
    <Page>
      <WizardShell
        step={step}
        states={stepStates(facts, wizard.skipped, facts?.isPaid || data.hasCredit)}
        onJump={wizard.go}
        preview={<Preview basics={typed} profileMediaId={data.view?.memorial.profileMediaId ?? null} />}
      >
        {step !== 2 && data.view && <ChangesToTell view={data.view} />}
        {step === 0 && <Payment wizard={wizard} hasCredit={data.hasCredit} onPaid={data.refreshPayments} />}
        {step === 1 && <StepBasics wizard={wizard} onPreview={setTyped} />}
        {step === 2 && (
          <Suspense fallback={<Skeleton height="60rem" />}>
            <StepFuneral wizard={wizard} />
          </Suspense>
        )}
        {step === 3 && <StepLocation wizard={wizard} />}
        {step === 4 && <StepStory wizard={wizard} uploads={uploads} />}
        {step === 5 && (
          <StepPrivacy
            wizard={wizard}
            hasCredit={data.hasCredit}
            onMissingPayment={focusCard}
            Pay={PayToShare}
          >
            {data.view && (
              // As high as the card: the step scrolls to it.
              <Suspense
                fallback={
                  <div id={SHARE_ID}>
                    <Skeleton height="28rem" />
                  </div>
                }
              >
                <ShareCard isEndOfSetup id={SHARE_ID} memorial={data.view.memorial} />
              </Suspense>
            )}
          </StepPrivacy>
        )}
      </WizardShell>
    </Page>
  )
}

/** After a gathering was changed: asks whether to tell people who replied before. */
function ChangesToTell({ view }: { view: MemorialView }) {
  const { memorial, funeralEvents } = view
  const events = withAllFields(funeralEvents).filter(({ takesReplies, change }) => takesReplies || change)
  if (events.length === 0) return null
  return (
    <Suspense>
      {/* Asks anew after each change. */}
      <TellChanges key={JSON.stringify(events)} memorialId={memorial.id} events={events} />
    </Suspense>
  )
}

function Payment({
  wizard,
  hasCredit,
  onPaid,
}: {
  wizard: Wizard
  hasCredit: boolean
  onPaid: () => Promise<void>
}) {
  const continueWizard = () => {
    void onPaid()
    wizard.changed(toPaid)
    wizard.go(1)
  }
  const isPaid = wizard.view?.memorial.isPaid || hasCredit
  return (
    <StepPayment wizard={wizard} isPaid={isPaid} onMissing={focusCard}>
      <Suspense fallback={<Skeleton height="40rem" />}>
        <PaymentStep memorialId={wizard.memorialId} onPaid={continueWizard} onAlreadyPaid={continueWizard} />
      </Suspense>
    </StepPayment>
  )
}

function PayToShare({ memorialId, onPaid }: { memorialId: string; onPaid: () => void }) {
  return (
    <Suspense fallback={<Skeleton height="20rem" />}>
      <PaymentMethods memorialId={memorialId} onPaid={onPaid} onAlreadyPaid={onPaid} />
    </Suspense>
  )
}

/** For a memorial that the user may see but not edit. */
function NotYours() {
  return (
    <Page width="form">
      <PageTitle>{messages.memorial.deniedTitle}</PageTitle>
      <p>{messages.memorial.ownerOnly}</p>
      <ButtonLink to={links.dashboard}>Go to your memorials</ButtonLink>
    </Page>
  )
}
