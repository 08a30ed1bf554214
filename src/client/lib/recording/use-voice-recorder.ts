import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { messages } from '#shared/messages.ts'
import { useLeaveWarning } from '#client/lib/browser/window-hooks.ts'
import { recordVoice, type VoiceRecording } from './record-voice.ts'
import { chooseRecordingFormat } from './recording-format.ts'

export type VoicePhase = 'idle' | 'asking' | 'recording' | 'paused' | 'finishing' | 'done'

const TICK_MS = 250

/** Records audio in the page, at most `maxSec` seconds. */
export function useVoiceRecorder(maxSec: number) {
  const [phase, setPhase] = useState<VoicePhase>('idle')
  const [seconds, setSeconds] = useState(0)
  const [file, setFile] = useState<File | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const recording = useRef<VoiceRecording | null>(null)
  const leaving = useRef(new AbortController())

  async function start(): Promise<void> {
    const format =
      typeof MediaRecorder === 'undefined'
        ? null
        : chooseRecordingFormat((type) => MediaRecorder.isTypeSupported(type))
    setProblem(null)
    setFile(null)
    setSeconds(0)
    if (!format) {
      setProblem(messages.voice.notPossible)
      return
    }
    setPhase('asking')
    try {
      recording.current = await recordVoice(format, () => void finish(), leaving.current.signal)
      setPhase('recording')
    } catch (error) {
      setProblem(errorMessage(error))
      setPhase('idle')
    }
  }

  async function finish(): Promise<void> {
    const current = recording.current
    if (!current) return
    recording.current = null
    setPhase('finishing')
    try {
      setFile(await current.finish())
      setPhase('done')
    } catch {
      setProblem(messages.voice.broken)
      setPhase('idle')
    }
  }

  const tick = useEffectEvent((passed: number) => {
    setSeconds((before) => before + passed)
    if (seconds + passed >= maxSec) void finish()
  })
  useEffect(() => {
    if (phase !== 'recording') return undefined
    let last = performance.now()
    const timer = setInterval(() => {
      const now = performance.now()
      tick((now - last) / 1000)
      last = now
    }, TICK_MS)
    return () => clearInterval(timer)
  }, [phase])

  // Releases the microphone when the screen closes, even during the permission prompt.
  useEffect(() => {
    const leave = new AbortController()
    leaving.current = leave
    return () => {
      leave.abort()
      recording.current?.discard()
    }
  }, [])
  const hasUnsavedRecording =
    phase === 'recording' || phase === 'paused' || phase === 'finishing' || phase === 'done'
  useLeaveWarning(hasUnsavedRecording)

  return {
    phase,
    seconds: Math.min(seconds, maxSec),
    file,
    problem,
    /** True while leaving the page would lose a recording. */
    hasUnsavedRecording,
    level: useCallback(() => recording.current?.level() ?? 0, []),
    start,
    finish,
    pause() {
      recording.current?.pause()
      setPhase('paused')
    },
    resume() {
      recording.current?.resume()
      setPhase('recording')
    },
  }
}

/** https://developer.mozilla.org/docs/Web/API/MediaDevices/getUserMedia#exceptions */
function errorMessage(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotAllowedError' || name === 'SecurityError') return messages.voice.refused
  if (name === 'NotFoundError' || name === 'OverconstrainedError') return messages.voice.noMicrophone
  if (name === 'NotReadableError' || name === 'AbortError') return messages.voice.microphoneBusy
  return error instanceof DOMException ? messages.voice.notPossible : messages.system.network
}
