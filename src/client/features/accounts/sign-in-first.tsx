import { paths } from '#shared/pages/pages.ts'
import { useSession } from '#client/lib/session.ts'
import { ButtonLink } from '#client/ui/button.tsx'

/** Two ways to an account, which lead back to `path`, for a page that needs one. `text`: why. */
export function SignInFirst({ path, text }: { path: string; text: string }) {
  const next = `?next=${encodeURIComponent(path)}`
  return (
    <>
      <p>{text}</p>
      <p className="row">
        <ButtonLink variant="primary" to={`${paths.login}${next}`}>
          Sign in
        </ButtonLink>
        <ButtonLink to={`${paths.register}${next}`}>Make an account</ButtonLink>
      </p>
    </>
  )
}

/** Says which account is signed in, before something is done with it. Renders nothing if none is. */
export function SignedInAs() {
  const { user } = useSession()
  return (
    user && (
      <p className="small-muted">
        You’re signed in as {user.firstName} {user.lastName} ({user.email}).
      </p>
    )
  )
}
