CREATE TABLE `contributor_codes` (
	`request_hash` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`email` text NOT NULL,
	`mail_id` text NOT NULL,
	`code_hash` text,
	`wrong_tries` integer DEFAULT 0 NOT NULL,
	`session_hash` text,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `contributor_codes_mail` ON `contributor_codes` (`mail_id`);--> statement-breakpoint
CREATE INDEX `contributor_codes_memorial` ON `contributor_codes` (`memorial_id`);--> statement-breakpoint
CREATE INDEX `contributor_codes_expires` ON `contributor_codes` (`expires_at`);--> statement-breakpoint
ALTER TABLE `contributors` ADD `address_asked_at` integer;--> statement-breakpoint
CREATE INDEX `contributors_email` ON `contributors` (`memorial_id`,`email`) WHERE "contributors"."email" is not null;