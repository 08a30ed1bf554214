import { Component, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { reportError } from '#client/lib/report-error.ts'
import { Button } from './button.tsx'
import { Page, PageTitle } from './page.tsx'

/** The error screen. Only a new document helps. */
export function ScreenFailed() {
  return (
    <Page width="reading">
      <PageTitle takesFocus>{messages.system.screenFailedTitle}</PageTitle>
      <p role="alert">{messages.system.screenFailedText}</p>
      <Button variant="primary" onClick={() => window.location.reload()}>
        Try Again
      </Button>
    </Page>
  )
}

type Props = { pathname: string; children: ReactNode }
type State = { hasFailed: boolean; pathname: string }

/**
 * Shows an error instead of a screen that fails to render: its code did not load (offline, or a newer release was
 * deployed), or it has a defect. React supports this in classes only.
 */
export class ScreenBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false, pathname: this.props.pathname }

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
  }

  /** A new address resets the error. */
  static getDerivedStateFromProps({ pathname }: Props, state: State): State | null {
    return pathname === state.pathname ? null : { hasFailed: false, pathname }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <ScreenFailed /> : this.props.children
  }
}
