-- OpenCode's tables, as far as they are read, with made-up sessions: a person's task, the sub-agent that it started, and a
-- task in another folder. The same as corpus/opencode/*.jsonl once told.
CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL);
CREATE TABLE `session` (
  `id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL, `directory` text NOT NULL,
  `title` text NOT NULL, `version` text NOT NULL, `summary_diffs` text, `revert` text,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `time_compacting` integer, `time_archived` integer);
CREATE TABLE `message` (
  `id` text PRIMARY KEY, `session_id` text NOT NULL REFERENCES `session`(`id`) ON DELETE CASCADE,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (
  `id` text PRIMARY KEY, `message_id` text NOT NULL REFERENCES `message`(`id`) ON DELETE CASCADE, `session_id` text NOT NULL,
  `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE INDEX `message_session_time_created_id_idx` ON `message` (`session_id`,`time_created`,`id`);
CREATE INDEX `part_message_id_id_idx` ON `part` (`message_id`,`id`);
CREATE INDEX `part_session_idx` ON `part` (`session_id`);
INSERT INTO project VALUES('p1','/work/api');
INSERT INTO session VALUES('ses_7d01main','p1',NULL,'quick-fox','/work/api','Symlinks and the denylist','1.17.0',NULL,NULL,1772445600000,1772446000000,NULL,NULL);
INSERT INTO message VALUES('msg_01','ses_7d01main',1772445600000,1772445600000,'{"role":"user","time":{"created":1772445600000},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0001','msg_01','ses_7d01main',1772445600000,1772445600000,'{"type":"text","text":"fix the denylist test, the symlink check fails"}');
INSERT INTO part VALUES('prt_0002','msg_01','ses_7d01main',1772445600000,1772445600000,'{"type":"text","synthetic":true,"text":"Called the Read tool with the following input: {\"filePath\":\"/work/api/src/guard.rs\"}"}');
INSERT INTO part VALUES('prt_0003','msg_01','ses_7d01main',1772445600000,1772445600000,'{"type":"text","synthetic":true,"text":"<file>\n00001| fn denied(path: &Path) -> bool {\n</file>"}');
INSERT INTO part VALUES('prt_0004','msg_01','ses_7d01main',1772445600000,1772445600000,'{"type":"file","mime":"text/plain","filename":"src/guard.rs","url":"file:///work/api/src/guard.rs"}');
INSERT INTO message VALUES('msg_02','ses_7d01main',1772445601000,1772445601000,'{"role":"assistant","time":{"created":1772445601000,"completed":1772445610000},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"finish":"tool-calls"}');
INSERT INTO part VALUES('prt_0005','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"step-start","snapshot":"abc"}');
INSERT INTO part VALUES('prt_0006','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"reasoning","text":"The check may follow links.","time":{"start":1772445601000,"end":1772445601001}}');
INSERT INTO part VALUES('prt_0007','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"text","text":"I run the test first.","time":{"start":1772445601010,"end":1772445601020}}');
INSERT INTO part VALUES('prt_0008','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"tool","callID":"call_1","tool":"bash","state":{"status":"completed","input":{"command":"cargo test -p guard denylist","description":"Run the test"},"time":{"start":1772445601100,"end":1772445602000},"title":"x","metadata":{"output":"denylist::symlink FAILED\n","exit":101},"output":"denylist::symlink FAILED\n"}}');
INSERT INTO part VALUES('prt_0009','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"tool","callID":"call_2","tool":"read","state":{"status":"completed","input":{"filePath":"/work/api/src/guard.rs"},"time":{"start":1772445603000,"end":1772445603900},"title":"x","metadata":{"preview":"x"},"output":"<file>\n00001| fn denied\n</file>"}}');
INSERT INTO part VALUES('prt_0010','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"tool","callID":"call_3","tool":"edit","state":{"status":"error","input":{"filePath":"/work/api/src/guard.rs","oldString":"a","newString":"b"},"time":{"start":1772445604000,"end":1772445604900},"title":"x","metadata":{},"error":"oldString not found in content"}}');
INSERT INTO part VALUES('prt_0011','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"tool","callID":"call_4","tool":"task","state":{"status":"completed","input":{"description":"Look for other checks","prompt":"Find every check of a path","subagent_type":"explore"},"time":{"start":1772445605000,"end":1772445605900},"title":"x","metadata":{"sessionId":"ses_7d02child"},"output":"task_id: ses_7d02child\n<task_result>three checks</task_result>"}}');
INSERT INTO part VALUES('prt_0012','msg_02','ses_7d01main',1772445601000,1772445601000,'{"type":"step-finish","reason":"tool-calls","cost":0.1,"tokens":{"input":1}}');
INSERT INTO message VALUES('msg_03','ses_7d01main',1772445620000,1772445620000,'{"role":"assistant","time":{"created":1772445620000,"completed":1772445625000},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"finish":"stop"}');
INSERT INTO part VALUES('prt_0013','msg_03','ses_7d01main',1772445620000,1772445620000,'{"type":"text","text":"The denylist resolves a symlink before it compares now.","time":{"start":1772445620000,"end":1772445622000}}');
INSERT INTO part VALUES('prt_0014','msg_03','ses_7d01main',1772445620000,1772445620000,'{"type":"patch","hash":"h","files":["/work/api/src/guard.rs"]}');
INSERT INTO message VALUES('msg_04','ses_7d01main',1772445660000,1772445660000,'{"role":"user","time":{"created":1772445660000},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0015','msg_04','ses_7d01main',1772445660000,1772445660000,'{"type":"compaction","auto":true}');
INSERT INTO message VALUES('msg_05','ses_7d01main',1772445660010,1772445660010,'{"role":"assistant","time":{"created":1772445660010,"completed":1772445666000},"parentID":"m","modelID":"y","providerID":"x","mode":"compaction","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"finish":"stop","summary":true}');
INSERT INTO part VALUES('prt_0016','msg_05','ses_7d01main',1772445660010,1772445660010,'{"type":"text","text":"What was done: the guard compares resolved paths.","time":{"start":1772445660010,"end":1772445665000}}');
INSERT INTO message VALUES('msg_06','ses_7d01main',1772445900000,1772445900000,'{"role":"user","time":{"created":1772445900000},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0017','msg_06','ses_7d01main',1772445900000,1772445900000,'{"type":"text","text":"<system-reminder>Plan mode is on.</system-reminder>\nand does it hold for a dangling symlink?"}');
INSERT INTO message VALUES('msg_07','ses_7d01main',1772445900010,1772445900010,'{"role":"assistant","time":{"created":1772445900010,"completed":1772445903000},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"error":{"name":"MessageAbortedError","data":{"message":"Aborted by the person"}}}');
INSERT INTO part VALUES('prt_0018','msg_07','ses_7d01main',1772445900010,1772445900010,'{"type":"text","text":"Let me see","time":{"start":1772445900010}}');
INSERT INTO message VALUES('msg_08','ses_7d01main',1772445990000,1772445990000,'{"role":"user","time":{"created":1772445990000},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0019','msg_08','ses_7d01main',1772445990000,1772445990000,'{"type":"text","text":"go on"}');
INSERT INTO message VALUES('msg_09','ses_7d01main',1772445990010,1772445990010,'{"role":"assistant","time":{"created":1772445990010},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2}}');
INSERT INTO part VALUES('prt_0020','msg_09','ses_7d01main',1772445990010,1772445990010,'{"type":"tool","callID":"call_5","tool":"bash","state":{"status":"running","input":{"command":"ls -l dangling"},"time":{"start":1772445990100,"end":1772445991000},"title":"x","metadata":{}}}');
INSERT INTO part VALUES('prt_0021','msg_09','ses_7d01main',1772445990010,1772445990010,'{"type":"tool","callID":"call_6","tool":"bash","state":{"status":"pending","input":{},"time":{"start":1772445990200,"end":1772445991100},"title":"x","metadata":{}}}');
INSERT INTO session VALUES('ses_7d02child','p1','ses_7d01main','quick-fox','/work/api','Look for other checks (@explore subagent)','1.17.0',NULL,NULL,1772445605000,1772445609000,NULL,NULL);
INSERT INTO message VALUES('msg_0b','ses_7d02child',1772445605000,1772445605000,'{"role":"user","time":{"created":1772445605000},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0022','msg_0b','ses_7d02child',1772445605000,1772445605000,'{"type":"text","text":"Find every check of a path"}');
INSERT INTO message VALUES('msg_0c','ses_7d02child',1772445605010,1772445605010,'{"role":"assistant","time":{"created":1772445605010,"completed":1772445609000},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"finish":"stop","agent":"explore"}');
INSERT INTO part VALUES('prt_0023','msg_0c','ses_7d02child',1772445605010,1772445605010,'{"type":"tool","callID":"call_7","tool":"grep","state":{"status":"completed","input":{"pattern":"is_below","path":"/work/api/src"},"time":{"start":1772445605100,"end":1772445606000},"title":"x","metadata":{},"output":"Found 3 matches\nsrc/guard.rs:\n  Line 4: is_below(path)"}}');
INSERT INTO part VALUES('prt_0024','msg_0c','ses_7d02child',1772445605010,1772445605010,'{"type":"text","text":"There are three checks of a path.","time":{"start":1772445606000,"end":1772445608000}}');
INSERT INTO session VALUES('ses_7d03other','p1',NULL,'quick-fox','/work/web','New session - 2026-03-02T10:00:00.000Z','1.17.0',NULL,NULL,1772445600100,1772445605000,NULL,1772445606000);
INSERT INTO message VALUES('msg_0d','ses_7d03other',1772445600100,1772445600100,'{"role":"user","time":{"created":1772445600100},"agent":"build","model":{"providerID":"x","modelID":"y"},"summary":{"diffs":[{"file":"a","before":"x","after":"y"}]}}');
INSERT INTO part VALUES('prt_0025','msg_0d','ses_7d03other',1772445600100,1772445600100,'{"type":"text","text":"Which port does the preview use?"}');
INSERT INTO message VALUES('msg_0e','ses_7d03other',1772445600110,1772445600110,'{"role":"assistant","time":{"created":1772445600110,"completed":1772445604000},"parentID":"m","modelID":"y","providerID":"x","mode":"build","path":{"cwd":"/work/api","root":"/work/api"},"cost":0.1,"tokens":{"input":1,"output":2},"finish":"stop"}');
INSERT INTO part VALUES('prt_0026','msg_0e','ses_7d03other',1772445600110,1772445600110,'{"type":"text","text":"Port 4173, as vite.config.ts says.","time":{"start":1772445600200,"end":1772445603000}}');
