import { useQuery } from '@tanstack/react-query'
import { useContext } from 'react'
import { useLocation, useParams, useSearchParams } from 'react-router-dom'
import { api } from '#shared/api.ts'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import { formatLifeDates } from '#shared/memorials/life-dates.ts'
import type { Memorial } from '#shared/memorials/memorials.ts'
import { FOLLOW_DONE, FOLLOW_FORM } from '#shared/pages/plain-forms.ts'
import { MemorialError } from '#client/features/memorials/page/memorial-error.tsx'
import { links } from '#client/lib/links.ts'
import { endpointQuery } from '#client/lib/query-client.ts'
import { PostedFormContext, usePostedForm } from '#client/lib/server-rendering.ts'
import { Button, ButtonLink } from '#client/ui/button.tsx'
import { EmailField } from '#client/ui/forms/field.tsx'
import { ErrorSummary } from '#client/ui/forms/form.tsx'
import { Notice } from '#client/ui/notice.tsx'
import { LoadingScreen, Page, PageTitle } from '#client/ui/page.tsx'
import styles from './follow.module.css'

const words = followMessages

/** `/memorial/:id/follow`: where people ask for mails about a memorial, and who looks after it sees how many get some. The browser sends the form. */
export default function FollowPage() {
  const { id = '' } = useParams()
  const { pathname } = useLocation()
  const [search] = useSearchParams()
  const posted = useContext(PostedFormContext)
  const invite = search.get('invite') ?? undefined
  const view = useQuery(
    endpointQuery(api.memorial, { params: { id }, query: invite === undefined ? {} : { invite } }),
  )
  if (view.isError) return <MemorialError error={view.error} onRetry={() => void view.refetch()} />
  if (!view.data) return <LoadingScreen />
  const { memorial, viewer } = view.data
  const invited = invite === undefined ? '' : `?invite=${encodeURIComponent(invite)}`
  const isPublic = memorial.privacy === 'LOCKED'
  const isAsked = posted === null && search.get(FOLLOW_DONE) === 'asked'
  return (
    <Page width="reading">
      <PageTitle>{`${words.title}: ${memorial.honoureeFullName}`}</PageTitle>
      <div className={styles.parts}>
        {viewer.role !== 'VISITOR' && viewer.role !== 'CONTRIBUTOR' ? (
          <Followers memorialId={id} />
        ) : isAsked ? (
          <Notice kind="success">
            <p>{words.asked}</p>
            <p>{words.askedText}</p>
          </Notice>
        ) : (
          <Ask memorial={memorial} action={pathname + invited} />
        )}
        <p>
          <ButtonLink
            to={isPublic ? links.publicMemorial(memorial.slug) : links.memorial(id) + invited}
            reloadDocument
          >
            Back to the memorial
          </ButtonLink>
        </p>
      </div>
    </Page>
  )
}

function Followers({ memorialId }: { memorialId: string }) {
  const { data } = useQuery(endpointQuery(api.followers, { params: { id: memorialId } }))
  return (
    <>
      <p>{words.family}</p>
      {data && <p>{words.count(data.count)}</p>}
    </>
  )
}

function Ask({ memorial, action }: { memorial: Memorial; action: string }) {
  const posted = usePostedForm(FOLLOW_FORM)
  const { dateOfBirth: born, dateOfDeath: died } = memorial
  const days = [
    ['birthday', memorial.dateOfBirthPrecision === 'DAY' && born ? words.birthday(dayOf(born)) : null],
    ['passing', memorial.dateOfDeathPrecision === 'DAY' && died ? words.passing(dayOf(died)) : null],
  ] as const
  const isChosen = (name: string) => (posted ? posted.values[name] !== undefined : name === 'news')
  return (
    <div>
      <p>{words.text}</p>
      <form id={FOLLOW_FORM} method="post" action={action} noValidate data-plain>
        {posted?.problem && (
          <ErrorSummary
            title={words.refusedTitle}
            text={posted.problem.text}
            errors={posted.problem.fields}
            idOf={(field) => `${FOLLOW_FORM}-${field}`}
          />
        )}
        <fieldset className={styles.days}>
          <legend>{words.what}</legend>
          <Choice name="news" label={words.news} isChosen={isChosen('news')} />
          {days.map(
            ([name, label]) =>
              label && <Choice key={name} name={name} label={label} isChosen={isChosen(name)} />,
          )}
        </fieldset>
        <EmailField
          id={`${FOLLOW_FORM}-email`}
          name="email"
          hint={words.hint}
          defaultValue={posted?.values['email']}
          error={posted?.problem.fields['email']}
        />
        <Button type="submit" variant="primary">
          {words.send}
        </Button>
      </form>
    </div>
  )
}

function Choice({ name, label, isChosen }: { name: string; label: string; isChosen: boolean }) {
  return (
    <label className={styles.choice}>
      <input id={`${FOLLOW_FORM}-${name}`} type="checkbox" name={name} defaultChecked={isChosen} />
      {label}
    </label>
  )
}

/** `14 March`. */
function dayOf(date: string): string {
  const whole = formatLifeDates({
    dateOfBirth: date,
    dateOfBirthPrecision: 'DAY',
    dateOfDeath: null,
    dateOfDeathPrecision: 'DAY',
  })
  return (whole ?? '').replace(/^Born /u, '').replace(/ \d+$/u, '')
}
