CREATE TABLE `email_changes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`old_email` text NOT NULL,
	`new_email` text NOT NULL,
	`old_token_hash` text NOT NULL,
	`new_token_hash` text NOT NULL,
	`undo_token_hash` text NOT NULL,
	`old_confirmed_at` integer,
	`new_confirmed_at` integer,
	`changed_at` integer,
	`undone_at` integer,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_old_token` ON `email_changes` (`old_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_new_token` ON `email_changes` (`new_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_undo_token` ON `email_changes` (`undo_token_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `email_changes_waiting` ON `email_changes` (`user_id`) WHERE changed_at is null;--> statement-breakpoint
CREATE INDEX `email_changes_user` ON `email_changes` (`user_id`,`changed_at`);--> statement-breakpoint
CREATE INDEX `email_changes_expires` ON `email_changes` (`expires_at`);