import { Component, type ReactNode } from 'react'
import { messages } from '#shared/messages.ts'
import { ApiError } from '#client/lib/call.ts'
import { reportError } from '#client/lib/report-error.ts'
import { Button } from '#client/ui/button.tsx'

type Props = { onRefused: (status: 401 | 403) => void; children: ReactNode }

/**
 * Error boundary of a tab: shows a message when its data fails to load, and closes the console on 401 and 403.
 * Only a class component can be an error boundary.
 */
export class TabBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
    if (!(error instanceof ApiError)) return
    if (error.status === 401 || error.status === 403) this.props.onRefused(error.status)
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <div role="alert">
        <h2>{messages.admin.failedTitle}</h2>
        <p>{messages.admin.failedText}</p>
        <Button variant="primary" onClick={() => window.location.reload()}>
          Try Again
        </Button>
      </div>
    )
  }
}
