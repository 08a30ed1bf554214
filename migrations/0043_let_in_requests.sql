CREATE TABLE `let_in_requests` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`name` text NOT NULL,
	`relation` text NOT NULL,
	`email` text NOT NULL,
	`decision` text,
	`contributor_id` text,
	`token_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`contributor_id`) REFERENCES `contributors`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `let_in_requests_email` ON `let_in_requests` (`memorial_id`,`email`);--> statement-breakpoint
CREATE UNIQUE INDEX `let_in_requests_token` ON `let_in_requests` (`token_hash`);--> statement-breakpoint
CREATE INDEX `let_in_requests_contributor` ON `let_in_requests` (`contributor_id`);--> statement-breakpoint
CREATE INDEX `let_in_requests_created` ON `let_in_requests` (`created_at`);--> statement-breakpoint
ALTER TABLE `memorials` ADD `may_ask` text DEFAULT 'INVITE_ONLY' NOT NULL;