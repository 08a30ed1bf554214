CREATE TABLE `cache_purges` (
	`tag` text PRIMARY KEY NOT NULL,
	`is_urgent` integer NOT NULL,
	`asked_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `cache_purges_asked` ON `cache_purges` (`is_urgent`,`asked_at`);--> statement-breakpoint
ALTER TABLE `users` ADD `purged_at` integer;--> statement-breakpoint
ALTER TABLE `users` ADD `terms_version` text DEFAULT '2025-09-29' NOT NULL;--> statement-breakpoint
ALTER TABLE `contributors` ADD `token_hash` text;--> statement-breakpoint
CREATE INDEX `comment_likes_by` ON `comment_likes` (`liked_by`);--> statement-breakpoint
CREATE INDEX `comments_user` ON `comments` (`author_user_id`);--> statement-breakpoint
CREATE INDEX `contact_messages_email` ON `contact_messages` (`email`);--> statement-breakpoint
CREATE INDEX `mails_recipient` ON `mails` (`recipient`);--> statement-breakpoint
CREATE INDEX `idempotency_keys_result` ON `idempotency_keys` (`result_id`);