cd /work/wt/slow; . .venv/bin/activate
for i in 1 2 3 4 5; do
 snakemake --cores 2 --configfile config/seeds.yaml /tmp/seeds/$i.yaml --quiet host progress reason rules -- results/seed-$i/charisopoulos2022/claims/prop2.1-robust.json results/seed-$i/charisopoulos2022/claims/thm3.4-printed.json results/seed-$i/asi2025/claims/thm9.json; echo "== seed $i $(date)"
done
