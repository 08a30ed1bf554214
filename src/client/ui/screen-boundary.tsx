import { Component, type ReactNode } from 'react'
import { reportError } from '#client/lib/report-error.ts'
import { ScreenFailed } from './screen-failed.tsx'

type Props = { pathname: string; children: ReactNode }
type State = { hasFailed: boolean; pathname: string }

/**
 * Stands in for a screen that cannot be drawn: its code did not arrive (no connection, or a newer version was published
 * meanwhile), or it is defective. React has this for classes only.
 */
export class ScreenBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false, pathname: this.props.pathname }

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
  }

  /** Another address is another screen. */
  static getDerivedStateFromProps({ pathname }: Props, state: State): State | null {
    return pathname === state.pathname ? null : { hasFailed: false, pathname }
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <ScreenFailed /> : this.props.children
  }
}
