import { useQuery } from '@tanstack/react-query'
import { useContext, type ReactNode } from 'react'
import { useLocation, useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import type { AddressState } from '#shared/invites/invites.ts'
import { CODE_DIGITS } from '#shared/limits.ts'
import type { MemorialView } from '#shared/memorials/memorials.ts'
import { ADDRESS_FORM, AGAIN_DONE, ASK_FORM, CODE_FORM, type AgainDone } from '#shared/pages/plain-forms.ts'
import type { RecoverablePerson } from '#shared/invites/recovery.ts'
import { recoveryMessages } from '#shared/invites/recovery-messages.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { ApiError, call, pathOf } from '#client/lib/call.ts'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { PostedFormContext, usePostedForm } from '#client/lib/server-rendering.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { EmailField, TextField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { Card, LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import styles from './again.module.css'

const words = recoveryMessages

/** `/memorial/:id/again`: where a relative is known again on a new phone, and leaves an address for that. The browser sends its forms. */
export default function AgainPage() {
  const { id = '' } = useParams()
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const invite = search.get('invite') ?? undefined
  const params = { id }
  const view = useQuery(
    endpointQuery(api.memorial, { params, query: invite === undefined ? {} : { invite } }),
  )
  const own = useQuery({
    queryKey: [pathOf(api.contributorSession, { params })],
    // A guest whose browser takes no cookies has no session.
    queryFn: () => call(api.contributorSession, { params }).catch(nullIfRefused),
  })
  const failed = [view, own].find(({ isError }) => isError)
  if (failed) return <MemorialError error={failed.error} onRetry={() => void failed.refetch()} />
  if (!view.data || own.data === undefined) return <LoadingScreen />
  const invited = invite === undefined ? '' : `?invite=${encodeURIComponent(invite)}`
  const isNamed = view.data.viewer.role === 'CONTRIBUTOR' && !view.data.viewer.isVisitor
  return (
    <Again
      view={view.data}
      relative={isNamed ? own.data : null}
      action={pathname + invited}
      back={links.memorial(id) + invited}
    />
  )
}

function nullIfRefused(error: unknown): null {
  if (error instanceof ApiError && error.status < 500) return null
  throw error
}

type Relative = { displayName: string; address: AddressState }

function Again({
  view: { memorial },
  relative,
  action,
  back,
}: {
  view: MemorialView
  relative: Relative | null
  action: string
  back: string
}) {
  const [search] = useSearchParams()
  const posted = useContext(PostedFormContext)
  const done = posted ? null : (search.get(AGAIN_DONE) as AgainDone | null)
  const isKnown = done === 'known' && relative !== null
  const isAsked = done === 'asked' || posted?.name === CODE_FORM
  const toMemorial = (
    <p>
      <ButtonLink to={back} reloadDocument variant={isKnown ? 'primary' : undefined}>
        Back to the memorial
      </ButtonLink>
    </p>
  )
  return (
    <Page width="reading">
      <PageTitle>{`${words.title}: ${memorial.honoureeFullName}`}</PageTitle>
      <div className={styles.parts}>
        {isKnown && <Done>{words.known(relative.displayName)}</Done>}
        {done === 'kept' && <Done>{words.kept}</Done>}
        {done === 'gone' && <Done>{words.gone}</Done>}
        {isKnown && toMemorial}
        {isAsked ? (
          <UseCode action={action} isNew={done === 'asked'} />
        ) : (
          <>
            {relative && <Address action={action} state={relative.address} />}
            {!isKnown && <Ask action={action} isFirst={relative === null} />}
          </>
        )}
        {!isKnown && toMemorial}
      </div>
    </Page>
  )
}

function Done({ children }: { children: ReactNode }) {
  return (
    <Notice kind="success">
      <p>{children}</p>
    </Notice>
  )
}

function Problem({ form }: { form: string }) {
  const problem = usePostedForm(form)?.problem
  if (!problem) return null
  return (
    <ErrorSummary
      title={words.refusedTitle}
      text={problem.text}
      errors={problem.fields}
      idOf={(field) => `${form}-${field}`}
    />
  )
}

/** A form that the browser sends. `name` says which it is. */
function PlainForm({ name, action, children }: { name: string; action: string; children: ReactNode }) {
  return (
    <form id={name} method="post" action={action} noValidate data-plain>
      <input type="hidden" name="form" value={name} />
      {children}
    </form>
  )
}

function Email({ form, hint, optional = false }: { form: string; hint?: string; optional?: boolean }) {
  const posted = usePostedForm(form)
  return (
    <EmailField
      id={`${form}-email`}
      name="email"
      hint={hint}
      optional={optional}
      defaultValue={posted?.values['email']}
      error={posted?.problem.fields['email']}
    />
  )
}

function Address({ action, state }: { action: string; state: AddressState }) {
  const isKept = state === 'KEPT'
  return (
    <Card id="address" title={words.addressTitle}>
      <p>{isKept ? words.isKept : words.addressText}</p>
      <Problem form={ADDRESS_FORM} />
      <PlainForm name={ADDRESS_FORM} action={action}>
        <Email form={ADDRESS_FORM} hint={words.addressHint} />
        <div className="row">
          <Button type="submit" variant="primary">
            Save
          </Button>
          {isKept && (
            <Button type="submit" name="forget" value="1">
              Delete my address
            </Button>
          )}
        </div>
      </PlainForm>
    </Card>
  )
}

function Ask({ action, isFirst }: { action: string; isFirst: boolean }) {
  return (
    <Card id="ask" title={words.askTitle}>
      <p>{words.askText}</p>
      <p>{words.oneAtATime}</p>
      {isFirst && <p>{words.noAddress}</p>}
      <Problem form={ASK_FORM} />
      <PlainForm name={ASK_FORM} action={action}>
        <Email form={ASK_FORM} />
        <Button type="submit" variant={isFirst ? 'primary' : undefined}>
          Send me a code
        </Button>
      </PlainForm>
    </Card>
  )
}

/** The code; or, where several people left the address, who they are. `isNew`: the code has just been asked for. */
function UseCode({ action, isNew }: { action: string; isNew: boolean }) {
  const posted = usePostedForm(CODE_FORM)
  const { code = '', people } = posted?.values ?? {}
  if (people !== undefined) return <Choose action={action} code={code} people={people} />
  return (
    <section aria-label="The code">
      {isNew && (
        <Notice>
          <p>{words.asked}</p>
          <p>{words.askedText}</p>
        </Notice>
      )}
      <Problem form={CODE_FORM} />
      <PlainForm name={CODE_FORM} action={action}>
        <TextField
          id={`${CODE_FORM}-code`}
          label="Code from the email"
          hint="Six digits. They work for 15 minutes."
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={4 * CODE_DIGITS}
          defaultValue={code}
          error={posted?.problem.fields['code']}
        />
        <Button type="submit" variant="primary">
          Continue
        </Button>
      </PlainForm>
      <p className="tall-links">
        <a href={action}>Ask for another code</a>
      </p>
    </section>
  )
}

function Choose({ action, code, people }: { action: string; code: string; people: string }) {
  const found = JSON.parse(people) as RecoverablePerson[]
  return (
    <Card id="choose" title={words.choose}>
      <PlainForm name={CODE_FORM} action={action}>
        <input type="hidden" name="code" value={code} />
        {found.map(({ contributorId, displayName }) => (
          <p key={contributorId}>
            <Button type="submit" wide name="contributorId" value={contributorId}>
              <bdi>{displayName}</bdi>
            </Button>
          </p>
        ))}
      </PlainForm>
    </Card>
  )
}
