INSERT INTO tallies SELECT 'memorials ' || status, count(*) FROM memorials GROUP BY status;--> statement-breakpoint
CREATE TRIGGER memorials_status_more AFTER INSERT ON memorials BEGIN
  INSERT INTO tallies VALUES ('memorials ' || new.status, 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;--> statement-breakpoint
CREATE TRIGGER memorials_status_fewer AFTER DELETE ON memorials BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'memorials ' || old.status;
END;--> statement-breakpoint
CREATE TRIGGER memorials_status_changed AFTER UPDATE OF status ON memorials WHEN old.status <> new.status BEGIN
  UPDATE tallies SET amount = amount - 1 WHERE name = 'memorials ' || old.status;
  INSERT INTO tallies VALUES ('memorials ' || new.status, 1) ON CONFLICT (name) DO UPDATE SET amount = amount + 1;
END;
