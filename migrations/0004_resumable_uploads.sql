CREATE TABLE `resumable_uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`media_id` text NOT NULL,
	`actor_id` text NOT NULL,
	`contributor_id` text,
	`idempotency_key` text,
	`type` text NOT NULL,
	`file_name` text NOT NULL,
	`metadata` text NOT NULL,
	`length` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`arrived_at` integer,
	`finishing_until` integer,
	`ended_at` integer,
	`refusal_code` text,
	`refusal_message` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `resumable_uploads_key` ON `resumable_uploads` (`actor_id`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_expires` ON `resumable_uploads` (`expires_at`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_arrived` ON `resumable_uploads` (`arrived_at`);--> statement-breakpoint
CREATE INDEX `resumable_uploads_memorial` ON `resumable_uploads` (`memorial_id`);