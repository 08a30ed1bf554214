CREATE INDEX `comments_created` ON `comments` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `memorials_locked` ON `memorials` (`locked_at`);--> statement-breakpoint
CREATE INDEX `payments_created` ON `payments` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `payments_paid` ON `payments` (`paid_at`);