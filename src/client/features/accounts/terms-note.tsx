import { AGE_MIN } from '#shared/limits.ts'
import { links } from '#client/lib/links.ts'

/** What a person agrees to by creating an account. */
export function TermsNote() {
  return (
    <p>
      By creating an account you agree to the <NewTabLink to={links.terms}>terms</NewTabLink> and the{' '}
      <NewTabLink to={links.privacy}>privacy policy</NewTabLink>, and confirm that you are {AGE_MIN} or older.
    </p>
  )
}

/** Opens in a new tab, so that the form keeps its values. */
function NewTabLink({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener">
      {children}
      <span className="visually-hidden"> (opens in a new tab)</span>
    </a>
  )
}
