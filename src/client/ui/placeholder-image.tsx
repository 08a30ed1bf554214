import type { ComponentProps } from 'react'
import { usePlaceholderSheet } from '#client/lib/server-rendering.ts'
import styles from './placeholder-image.module.css'

/**
 * An image with a placeholder: a data URI a few pixels wide, drawn large and blurred behind it until it has loaded.
 * It is cropped like the image (`object-fit: cover`, or whole with `fit="contain"`).
 */
export function PlaceholderImage({
  placeholder,
  fit = 'cover',
  alt,
  className,
  ...image
}: Omit<ComponentProps<'img'>, 'style' | 'onLoad' | 'alt'> & {
  placeholder: string | null
  fit?: 'cover' | 'contain'
  alt: string
}) {
  const sheet = usePlaceholderSheet()
  const placeholderClass = placeholder === null ? undefined : sheet?.add(placeholder)
  const isStyled = placeholder !== null && sheet === null
  return (
    <img
      {...image}
      alt={alt}
      className={[className, styles[fit], placeholderClass].filter(Boolean).join(' ')}
      style={isStyled ? { backgroundImage: `url("${placeholder}")` } : undefined}
      onLoad={(event) => {
        // The placeholder would shine through transparent areas (PNG, WebP).
        event.currentTarget.style.backgroundImage = 'none'
      }}
    />
  )
}
