// What KEYNS does, from Go with go-redis.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand"
	"os"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Only this key is wanted by all runs, in whatever language.
const lockKey = "lock:example:report"
const markdown = "# Risk\n\nMeasure it first.\n\n## Methods\n\n- History\n- Simulation\n"

var (
	ctx = context.Background()
	run = runID()
	// All keys of a run are below a scope of its own, whose braces keep it in one slot of a cluster.
	scope = "{example_" + run + "}"
)

func naming(r *redis.Client) error {
	say("== Naming")
	title := "5 Strategies for Risk Management"
	slug, err := r.Do(ctx, "KEYNS.SLUG", title, "LANG", "en", "SHORTEN", "WORD").Text()
	if err != nil {
		return err
	}
	say("%s: %s", title, slug)
	// However many ask at once, no name is given twice.
	for i := 0; i < 2; i++ {
		name, err := r.Do(ctx, "KEYNS.MAKE", scope+":page", "Über uns").Text()
		if err != nil {
			return err
		}
		say("Über uns: %s", name)
	}
	return nil
}

func document(r *redis.Client) error {
	say("== Document")
	reply, err := r.Do(ctx, "KEYNS.INGESTMD", scope+":doc", markdown, "TITLE", "Risk Handbook").Result()
	if err != nil {
		return err
	}
	written := fields(reply)
	doc := written["doc"].(string)
	say("%s: %d chunks, %d keys", doc, written["chunks"], written["keys"])
	// What needs nothing of each other travels together.
	together := r.Pipeline()
	tree := together.Do(ctx, "KEYNS.TREE", doc, "FORMAT", "TEXT")
	children := together.Do(ctx, "KEYNS.NAV", doc, "CHILDREN")
	exported := together.Do(ctx, "KEYNS.EXPORTMD", doc)
	if _, err := together.Exec(ctx); err != nil {
		return err
	}
	say("%s", strings.TrimSpace(tree.Val().(string)))
	chapter := children.Val().([]any)[0].(string)
	chunk, err := r.Do(ctx, "KEYNS.NAV", chapter, "NEXT").Text()
	if err != nil {
		return err
	}
	text, err := r.HGet(ctx, chunk, "text").Result()
	if err != nil {
		return err
	}
	say("after %s comes %s: %s", chapter, chunk, strings.TrimSpace(text))
	say("exported as it was: %s", choose(exported.Val() == markdown, "yes", "no"))
	dropped, err := r.Do(ctx, "KEYNS.DROP", doc).Int()
	if err != nil {
		return err
	}
	say("dropped: %d keys", dropped)
	return nil
}

func rateLimit(r *redis.Client) error {
	say("== Rate limit")
	// Two at once, and one more every half second.
	request := []any{"KEYNS.RATE", scope + ":rate:api", "BUCKET", 2, 2, "1s"}
	together := r.Pipeline()
	for i := 0; i < 3; i++ {
		together.Do(ctx, request...)
	}
	replies, err := together.Exec(ctx)
	if err != nil {
		return err
	}
	// allowed, limit, remaining, retry_after_ms, reset_after_ms, binding
	var ruling []int64
	for i, reply := range replies {
		if ruling, err = reply.(*redis.Cmd).Int64Slice(); err != nil {
			return err
		}
		allowed := fmt.Sprintf("allowed, %d left", ruling[2])
		say("request %d: %s", i+1, choose(ruling[0] == 1, allowed, "refused"))
	}
	for ruling[0] == 0 {
		time.Sleep(time.Duration(ruling[3]) * time.Millisecond)
		if ruling, err = r.Do(ctx, request...).Int64Slice(); err != nil {
			return err
		}
	}
	say("request 3, after the wait it was told: allowed")
	return nil
}

func namespace(r *redis.Client) (err error) {
	say("== Namespace")
	name, pattern := "session_"+run, scope+":session:<sid:hex>"
	rules := []any{"PATTERN", pattern, "TTL", 1800, "TYPE", "hash"}
	if err := r.Do(ctx, append([]any{"KEYNS.NS.SET", name}, rules...)...).Err(); err != nil {
		return err
	}
	defer func() {
		if gone := r.Do(ctx, "KEYNS.NS.DEL", name).Err(); err == nil {
			err = gone
		}
	}()
	reply, err := r.Do(ctx, "KEYNS.KEY", name, "5f3a", "WITHTTL").Slice()
	if err != nil {
		return err
	}
	key, ttl := reply[0].(string), time.Duration(reply[1].(int64))*time.Second
	say("%s lives for %.0f seconds", key, ttl.Seconds())
	var mistake redis.Error
	if err := r.Do(ctx, "KEYNS.KEY", name, "Ada").Err(); errors.As(err, &mistake) {
		say("no key: %s", strings.TrimPrefix(mistake.Error(), "ERR "))
	} else if err != nil {
		return err
	}
	if err := r.HSet(ctx, key, "user", "ada").Err(); err != nil {
		return err
	}
	if err := check(r, key, scope+":session:5F3A"); err != nil {
		return err
	}
	if err := r.Expire(ctx, key, ttl).Err(); err != nil {
		return err
	}
	return check(r, key)
}

func check(r *redis.Client, keys ...any) error {
	replies, err := r.Do(ctx, append([]any{"KEYNS.CHECK"}, keys...)...).Slice()
	if err != nil {
		return err
	}
	for i, reply := range replies {
		found := fields(reply)
		verdict := strings.Trim(fmt.Sprint(found["problems"]), "[]")
		if valid := found["valid"]; valid == true || valid == int64(1) {
			verdict = "valid"
		}
		if meant := found["suggestion"]; meant != nil {
			verdict = fmt.Sprintf("%s, did you mean %s?", verdict, meant)
		}
		say("%s: %s", keys[i], verdict)
	}
	return nil
}

func lock(ada, bob *redis.Client) error {
	say("== Lock")
	// An owner is a name that nobody else has.
	first, err := take(ada, "ada-"+run)
	if err != nil {
		return err
	}
	say("ada holds the lock")
	// A nil is an error of its own in go-redis.
	err = bob.Do(ctx, "KEYNS.LOCK", lockKey, "bob-"+run, "PX", 10000).Err()
	if err != nil && err != redis.Nil {
		return err
	}
	say("bob %s", choose(err == redis.Nil, "does not get it", "gets it too"))
	if err := ada.Do(ctx, "KEYNS.UNLOCK", lockKey, "ada-"+run).Err(); err != nil {
		return err
	}
	second, err := take(bob, "bob-"+run)
	if err != nil {
		return err
	}
	say("bob holds it, with a %s token", choose(second > first, "greater", "smaller"))
	if err := report(bob, "bob", second); err != nil {
		return err
	}
	if err := bob.Do(ctx, "KEYNS.UNLOCK", lockKey, "bob-"+run).Err(); err != nil {
		return err
	}
	// As if ada had been paused all the time and did not know that bob has been there.
	return report(ada, "ada", first)
}

// take waits for the lock, and gives its fencing token. Who dies loses it after ten seconds.
func take(client *redis.Client, owner string) (int64, error) {
	for {
		token, err := client.Do(ctx, "KEYNS.LOCK", lockKey, owner, "PX", 10000).Int64()
		if err != redis.Nil {
			return token, err
		}
		time.Sleep(time.Duration(10+mathrand.Intn(40)) * time.Millisecond)
	}
}

// report writes, unless somebody has written with a greater token.
func report(client *redis.Client, writer string, token int64) error {
	reply, err := client.Do(ctx, "KEYNS.ADVANCE", scope+":report:token", token).Int64Slice()
	if err != nil {
		return err
	}
	say("report of %s: %s", writer, choose(reply[0] == 1, "written", "refused, it is late"))
	return nil
}

// fields are those of a map, which is a flat slice under RESP2.
func fields(reply any) map[any]any {
	found, isMap := reply.(map[any]any)
	if !isMap {
		found = map[any]any{}
		flat := reply.([]any)
		for i := 0; i+1 < len(flat); i += 2 {
			found[flat[i]] = flat[i+1]
		}
	}
	return found
}

func say(format string, values ...any) {
	fmt.Println(strings.ReplaceAll(fmt.Sprintf(format, values...), scope+":", ""))
}

func choose(condition bool, yes, no string) string {
	if condition {
		return yes
	}
	return no
}

func runID() string {
	bytes := make([]byte, 4)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return fmt.Sprintf("%x", bytes)
}

func tell(r, other *redis.Client) (err error) {
	defer func() {
		for keys := r.Scan(ctx, 0, scope+":*", 1000).Iterator(); keys.Next(ctx); {
			r.Unlink(ctx, keys.Val())
		}
	}()
	for _, part := range []func(*redis.Client) error{naming, document, rateLimit, namespace} {
		if err := part(r); err != nil {
			return err
		}
	}
	return lock(r, other)
}

func main() {
	url := os.Getenv("REDIS_URL")
	if url == "" {
		url = "redis://127.0.0.1:6379"
	}
	options, err := redis.ParseURL(url)
	if err == nil {
		r, other := redis.NewClient(options), redis.NewClient(options)
		if err = r.Ping(ctx).Err(); err == nil {
			err = tell(r, other)
		}
	}
	var reply redis.Error
	if errors.As(err, &reply) {
		fmt.Fprintln(os.Stderr, "Redis says:", err)
		os.Exit(1)
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "Redis cannot be reached:", err)
		os.Exit(1)
	}
}
