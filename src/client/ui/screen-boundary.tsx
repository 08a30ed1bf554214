import { Component, type ReactNode } from 'react'
import { reportError } from '#client/lib/report-error.ts'
import { ScreenFailed } from './screen-failed.tsx'

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
