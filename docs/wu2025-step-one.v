(* Step 1 of Theorem B of docs/wu2025-regret.md, checked by Coq: coqc docs/wu2025-step-one.v

   Over a finite probability space: any number of actions, any dependence between actions and between noises, noises
   with atoms, any tie-break that sees the noises and the accumulated losses only. The proof is that of the text. *)

From Coq Require Import Reals List Permutation Lra.
Import ListNotations.
Open Scope R_scope.

Section Epoch.

(* Outcomes of noises, of the losses of n rounds and of those of n more; weights need not be normalised. *)
Variables Outcome Action : Type.
Variable space : list Outcome.
Variable weight : Outcome -> R.
Hypothesis weight_nonnegative : forall w, 0 <= weight w.
Variables noise first second : Outcome -> Action -> R.

Definition sum : list R -> R := fold_right Rplus 0.
Definition mean (f : Outcome -> R) : R := sum (map (fun w => weight w * f w) space).

Lemma mean_monotone f g : (forall w, f w <= g w) -> mean f <= mean g.
Proof.
  intros below. unfold mean, sum. induction space as [|w rest IH]; simpl; [lra|].
  pose proof (Rmult_le_compat_l _ _ _ (weight_nonnegative w) (below w)). lra.
Qed.

Lemma mean_plus f g : mean (fun w => f w + g w) = mean f + mean g.
Proof. unfold mean, sum. induction space as [|w rest IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma mean_minus f g : mean (fun w => f w - g w) = mean f - mean g.
Proof. unfold mean, sum. induction space as [|w rest IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma sum_permutation xs ys : Permutation xs ys -> sum xs = sum ys.
Proof. unfold sum. intros p. induction p; simpl; lra. Qed.

(* The two halves are exchangeable: to swap them is a symmetry of the space. *)
Variable swap : Outcome -> Outcome.
Hypothesis swap_space : Permutation (map swap space) space.
Hypothesis swap_weight : forall w, weight (swap w) = weight w.
Hypothesis swap_first : forall w j, first (swap w) j = second w j.
Hypothesis swap_second : forall w j, second (swap w) j = first w j.

Lemma mean_swap f : mean (fun w => f (swap w)) = mean f.
Proof.
  unfold mean at 2. rewrite (sum_permutation _ _ (Permutation_sym (Permutation_map _ swap_space))).
  unfold mean. rewrite map_map. f_equal. apply map_ext. intros w. now rewrite swap_weight.
Qed.

(* After n rounds action early is selected, after 2 n rounds action late, which does not know the halves apart. *)
Variables early late : Outcome -> Action.
Definition score_early w j := noise w j - first w j.
Definition score_late w j := noise w j - (first w j + second w j).
Hypothesis early_is_largest : forall w j, score_early w j <= score_early w (early w).
Hypothesis late_is_largest : forall w j, score_late w j <= score_late w (late w).
Hypothesis late_sees_sums_only : forall w, late (swap w) = late w.

(* M(G(n)) and M(G(2n)), in expectation; what the selected action has lost in 2 n rounds. *)
Definition potential_early := mean (fun w => score_early w (early w)).
Definition potential_late := mean (fun w => score_late w (late w)).
Definition lost := mean (fun w => first w (late w) + second w (late w)).

(* Convexity: -P is a subgradient of M. *)
Lemma convexity : potential_early >= potential_late + mean (fun w => second w (late w)).
Proof.
  unfold potential_early, potential_late. rewrite <- mean_plus. apply Rle_ge, mean_monotone. intros w.
  pose proof (early_is_largest w (late w)). unfold score_early, score_late in *. lra.
Qed.

Lemma exchangeability : mean (fun w => second w (late w)) = lost / 2.
Proof.
  assert (same : mean (fun w => second w (late w)) = mean (fun w => first w (late w))).
  { rewrite <- (mean_swap (fun w => first w (late w))). unfold mean. f_equal. apply map_ext. intros w.
    now rewrite late_sees_sums_only, swap_first. }
  unfold lost. rewrite mean_plus. lra.
Qed.

(* W(n) - W(2n) >= h(2n)/2, where best is the best action's mean loss in n rounds. *)
Theorem telescopes (best : R) :
  (potential_early + best) - (potential_late + 2 * best) >= (lost - 2 * best) / 2.
Proof. pose proof convexity. rewrite exchangeability in *. lra. Qed.

(* W(n) >= E Q_1: the best action's own score. *)
Theorem floor (one : Action) :
  potential_early + mean (fun w => first w one) >= mean (fun w => noise w one).
Proof.
  unfold potential_early. rewrite <- mean_plus. apply Rle_ge, mean_monotone. intros w.
  pose proof (early_is_largest w one). unfold score_early in *. lra.
Qed.

(* The first epoch, where nothing was lost before: W(0) - W(1) >= h(1). *)
Theorem first_epoch (best : R) :
  (forall w j, first w j = 0) -> potential_early - (potential_late + best) >= lost - best.
Proof.
  intros nothing. pose proof convexity.
  assert (lost = mean (fun w => second w (late w))).
  { unfold lost, mean. f_equal. apply map_ext. intros w. rewrite nothing. lra. }
  lra.
Qed.

End Epoch.

(* The sum over n = 1, 2, 4, ..., of which W k and h k are the values at n = 2^k, and start is W(0) = E max Q. *)
Theorem step_one (W h : nat -> R) (start base : R) :
  start - W O >= h O -> (forall k, W k - W (S k) >= h (S k) / 2) -> (forall k, W k >= base) -> h O >= -1 ->
  forall last, sum_f_R0 h last <= 2 * (start - base) + 1.
Proof.
  intros begins goes_on above least last.
  assert (so_far : forall m, sum_f_R0 h m <= h O + 2 * (W O - W m)).
  { induction m as [|m IH]; simpl; [lra|]. pose proof (goes_on m). lra. }
  pose proof (so_far last). pose proof (above last). lra.
Qed.

Print Assumptions telescopes.
Print Assumptions step_one.
